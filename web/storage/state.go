package storage

import "slices"

// The object stores of the database.
const (
	Objects = "objects"
	Meta    = "meta"
	Files   = "files"
	Cloud   = "cloud"
	Choices = "choices"
	Events  = "events"
	Archive = "archive"
)

// FormatVersion is the version of everything that is stored. Data of a newer version is left alone.
const FormatVersion = 1

// Stores returns the names of all object stores, in the order in which they are read and exported.
func Stores() []string {
	return []string{Meta, Objects, Cloud, Files, Choices, Events, Archive}
}

func isStore(name string) bool {
	return slices.Contains(Stores(), name)
}

// A Record is one value under one key of one store.
type Record struct {
	Store string `json:"store"`
	Key   string `json:"key"`
	// Value is JSON text. It is ignored where Delete is set.
	Value  string `json:"value,omitempty"`
	Delete bool   `json:"delete,omitempty"`
	// Later makes the value, always the same JSON text, part by part, where Value is empty.
	Later interface{ Parts(add func(string)) } `json:"-"`
	// hashed is the hash of the record, once it is known.
	hashed uint64
}

// parts gives the value part by part.
func (r *Record) parts(add func(string)) {
	if r.Later != nil {
		r.Later.Parts(add)
		return
	}
	add(r.Value)
}

// What a State says, in one word.
const (
	// Saved: every commit that returned nil is stored.
	Saved = "saved"
	// Memory: nothing is stored from here on; Reason says why.
	Memory = "memory"
	// Full: the last commit did not fit. It is tried again together with the next one.
	Full = "full"
	// ForeignTab: another tab holds the cluster; nothing is stored from here.
	ForeignTab = "foreign-tab"
)

// Why a State is not Saved.
const (
	// ReasonUnavailable: the browser offers no IndexedDB here.
	ReasonUnavailable = "Unavailable"
	// ReasonBlocked: the browser refused to open the database (private mode, blocked site data, a
	// sandboxed frame), or did not answer.
	ReasonBlocked = "Blocked"
	// ReasonQuota: the browser's quota or the disk is full.
	ReasonQuota = "Quota"
	// ReasonCorrupted: records are missing, left over or changed.
	ReasonCorrupted = "Corrupted"
	// ReasonNewerFormat: a newer version of the playground has written the data.
	ReasonNewerFormat = "NewerFormat"
	// ReasonRules: what is stored has rules in CEL, and their evaluator is not loaded.
	ReasonRules = "RulesNotLoaded"
	// ReasonScripts: what is stored has scripts, and what runs them is not loaded.
	ReasonScripts = "ScriptsNotLoaded"
	// ReasonClosed: the browser closed the database, for example since site data was cleared.
	ReasonClosed = "Closed"
	// ReasonFailed: a commit failed for another reason.
	ReasonFailed = "Failed"
	// ReasonOtherTab: another tab holds the cluster: since before this one was opened, or since it took it.
	ReasonOtherTab = "OtherTab"
)

// State says whether commits are stored.
type State struct {
	// Name is one of Saved, Memory, Full and ForeignTab.
	Name string `json:"name"`
	// Reason is one of the Reason constants; empty when Saved.
	Reason string `json:"reason,omitempty"`
	// Detail is what the browser or the check said, for a person.
	Detail string `json:"detail,omitempty"`
}

// A NotStoredError is what Commit returns when the records are not stored.
type NotStoredError struct {
	State State
}

// Error implements error.
func (e *NotStoredError) Error() string {
	text := "storage: not stored (" + e.State.Name + ", " + e.State.Reason + ")"
	if e.State.Detail != "" {
		text += ": " + e.State.Detail
	}
	return text
}
