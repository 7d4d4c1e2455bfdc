package schema

import (
	"encoding/hex"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// formats are the string formats that a CRD's schema may use, by their names
// without dashes; the rest is ignored. Models validation/formats.go and
// kube-openapi's strfmt.
var formats = map[string]func(string) bool{
	"bsonobjectid": isBSONObjectID,
	"byte":         pattern(`^(?:[A-Za-z0-9+\/]{4})*(?:[A-Za-z0-9+\/]{2}==|[A-Za-z0-9+\/]{3}=|[A-Za-z0-9+\/]{4})$`),
	"cidr":         isCIDR,
	"creditcard":   isCreditCard,
	"date":         isDate,
	"datetime":     isDateTime,
	"duration":     isDuration,
	"email":        isEmail,
	"hexcolor":     pattern(`^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`),
	"hostname":     isHostname,
	"ipv4":         isIPv4,
	"ipv6":         isIPv6,
	"isbn":         func(s string) bool { return isISBN10(s) || isISBN13(s) },
	"isbn10":       isISBN10,
	"isbn13":       isISBN13,
	"k8sshortname": func(s string) bool { return len(s) <= 63 && matchesShortName(s) },
	"k8slongname":  func(s string) bool { return len(s) <= 253 && matchesLongName(s) },
	"mac":          isMAC,
	"password":     func(string) bool { return true },
	"rgbcolor":     pattern(`^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$`),
	"ssn":          func(s string) bool { return len(s) == 11 && matchesSSN(s) },
	"uri":          func(s string) bool { _, err := url.ParseRequestURI(s); return err == nil },
	"uuid":         pattern(`(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`),
	"uuid3":        pattern(`(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`),
	"uuid4":        pattern(`(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`),
	"uuid5":        pattern(`(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`),
}

// formatName is a format's name as formats has it.
func formatName(format string) string { return strings.ReplaceAll(format, "-", "") }

// formatChecked reports whether a schema of these types may use the format.
// Models StripUnsupportedFormatsPostProcessorForVersion.
func formatChecked(types []string, format string) bool {
	typ := ""
	if len(types) == 1 {
		typ = types[0]
	}
	switch typ {
	case "", "string":
		return formatKnown(format)
	case "integer":
		return format == "int32" || format == "int64"
	case "number":
		return format == "float" || format == "double"
	}
	return false
}

func formatKnown(format string) bool { return formats[formatName(format)] != nil }

func matchesFormat(format, v string) bool { return formats[formatName(format)](v) }

// pattern compiles on first use: most formats are never met.
func pattern(expr string) func(string) bool {
	var re *regexp.Regexp
	return func(s string) bool {
		if re == nil {
			re = regexp.MustCompile(expr)
		}
		return re.MatchString(s)
	}
}

var (
	matchesShortName = pattern(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	matchesLongName  = pattern(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	matchesSSN       = pattern(`^\d{3}[- ]?\d{2}[- ]?\d{4}$`)
	matchesHostname  = pattern(`^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$`)
	matchesTime      = pattern(`^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$`)
	matchesCard      = pattern(`^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$`)
	matchesISBN10    = pattern(`^(?:[0-9]{9}X|[0-9]{10})$`)
	matchesISBN13    = pattern(`^(?:[0-9]{13})$`)
)

func isBSONObjectID(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 12
}

func isHostname(s string) bool {
	return matchesHostname(s) && len(s) <= 255 &&
		!slices.ContainsFunc(strings.Split(s, "."), func(label string) bool { return len(label) > 63 })
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func isDateTime(s string) bool {
	if len(s) < 4 {
		return false
	}
	parts := strings.Split(strings.ToLower(s), "t")
	if len(parts) < 2 || !isDate(parts[0]) || !matchesTime(parts[1]) {
		return false
	}
	return parts[1][0:2] <= "23" && parts[1][3:5] <= "59" && parts[1][6:8] <= "59"
}

var durationUnits = []string{"ns", "nano", "us", "µs", "micro", "ms", "milli", "s", "sec", "m", "min", "h", "hr", "hour", "d", "day", "w", "wk", "week"}

// durationPrefixes are the units of which any word that begins so is taken.
var durationPrefixes = []string{"nano", "micro", "milli", "sec", "min", "hour", "day", "week"}

// isDuration takes Go's durations, and also "3 days" and the like anywhere in the text.
func isDuration(s string) bool {
	if _, err := time.ParseDuration(s); err == nil {
		return true
	}
	ok := false
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		if i == start {
			i++
			continue
		}
		number := s[start:i]
		unit := strings.TrimLeft(s[i:], " \t\n\f\r")
		word := unit[:len(unit)-len(strings.TrimLeft(unit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZµ"))]
		if word == "" {
			continue
		}
		if _, err := strconv.Atoi(number); err != nil {
			return false
		}
		lower := strings.ToLower(word)
		ok = ok || slices.ContainsFunc(durationUnits, func(u string) bool { return strings.EqualFold(u, lower) }) ||
			slices.ContainsFunc(durationPrefixes, func(p string) bool { return strings.HasPrefix(lower, p) })
		i = len(s) - len(unit) + len(word)
	}
	return ok
}

// sloppyAddr reads an IP address, tolerating leading zeros in IPv4 as
// k8s.io/utils/net does.
func sloppyAddr(s string) (netip.Addr, bool) {
	if !strings.Contains(s, ":") {
		parts := strings.Split(s, ".")
		for i, p := range parts {
			if t := strings.TrimLeft(p, "0"); t != "" {
				parts[i] = t
			} else if p != "" {
				parts[i] = "0"
			}
		}
		s = strings.Join(parts, ".")
	}
	a, err := netip.ParseAddr(s)
	return a, err == nil && a.Zone() == ""
}

func isIPv4(s string) bool {
	_, ok := sloppyAddr(s)
	return ok && strings.Contains(s, ".")
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Zone() == "" && strings.Contains(s, ":")
}

func isCIDR(s string) bool {
	addr, bits, ok := strings.Cut(s, "/")
	a, valid := sloppyAddr(addr)
	n, err := strconv.Atoi(bits)
	return ok && valid && err == nil && n >= 0 && n <= a.BitLen() && !strings.ContainsAny(bits, "+-")
}

// isMAC takes what net.ParseMAC takes: 6, 8 or 20 octets joined by : or -,
// pairs of them by dots, or by nothing.
func isMAC(s string) bool {
	parts, digits := []string{s}, len(s)
	if len(s) > 4 && (s[2] == ':' || s[2] == '-') {
		parts, digits = strings.Split(s, s[2:3]), 2
	} else if len(s) > 4 && s[4] == '.' {
		parts, digits = strings.Split(s, "."), 4
	}
	all := strings.Join(parts, "")
	return (len(all) == 12 || len(all) == 16 || len(all) == 40) && strings.Trim(all, "0123456789abcdefABCDEF") == "" &&
		!slices.ContainsFunc(parts, func(p string) bool { return len(p) != digits })
}

func keepDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

func isCreditCard(s string) bool {
	digits := keepDigits(s)
	if !matchesCard(digits) {
		return false
	}
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			n *= 2
			n = n/10 + n%10
		}
		sum += n
	}
	return sum%10 == 0
}

func stripISBN(s string) string {
	return strings.NewReplacer(" ", "", "\t", "", "\n", "", "\f", "", "\r", "", "-", "").Replace(s)
}

func isISBN10(s string) bool {
	s = stripISBN(s)
	if !matchesISBN10(s) {
		return false
	}
	sum := 0
	for i := range 9 {
		sum += (i + 1) * int(s[i]-'0')
	}
	if s[9] == 'X' {
		return (sum+100)%11 == 0
	}
	return (sum+10*int(s[9]-'0'))%11 == 0
}

func isISBN13(s string) bool {
	s = stripISBN(s)
	if !matchesISBN13(s) {
		return false
	}
	sum := 0
	for i := range 12 {
		sum += []int{1, 3}[i%2] * int(s[i]-'0')
	}
	return int(s[12]-'0') == (10-sum%10)%10
}
