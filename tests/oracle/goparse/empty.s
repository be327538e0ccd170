// A package with a function without a body needs an assembly file (main.go).
