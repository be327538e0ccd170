module gomany

go 1.18
