module example.com/dumps

go 1.18
