package card

import (
	"fmt"
	"math"
	"strconv"

	"schedbench/internal/words"
)

// Figure is a number. NaN means that there is none; in JSON that is null.
type Figure float64

// MarshalJSON writes null for NaN and infinity.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.Known() {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(f), 'g', 5, 64), nil
}

// Known reports whether it is a finite number.
func (f Figure) Known() bool { return !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) }

// Short writes a ratio in few letters: two digits, three where it is near 1.
func Short(f Figure) string {
	switch v := float64(f); {
	case !f.Known():
		return "?"
	case v < 1.1:
		return words.Number(v)
	case v < 9.95:
		return fmt.Sprintf("%.2g", v)
	case v < 999.5:
		return fmt.Sprintf("%.0f", v)
	default:
		return words.Count(v)
	}
}

// percent writes a share in whole percent, unless it is below 1 %.
func percent(share float64) string {
	if 100*share < 1 {
		return words.Share(share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// rounded returns a figure with so many digits, and one more if it begins with 1.
func rounded(v float64, digits int) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return v
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-float64(digits)+1)
	if v < 2*unit*math.Pow(10, float64(digits)-1) {
		unit /= 10
	}
	return math.Round(v/unit) * unit
}
