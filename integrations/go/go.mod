module github.com/_OWNER_/stickler/integrations/go

go 1.21
