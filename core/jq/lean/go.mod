module github.com/itchyny/gojq

go 1.26.0
