package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"schedbench/internal/judge"
)

// fewestEquals is how many equals show how far equals scatter. Fewer would find hardly anything: of two, only
// a difference of four times their scatter counts.
const fewestEquals = 3

// apart returns how far ratios are from 1 on average: the ratio, or its inverse, 1 of none.
func apart(times []float64) float64 {
	return judge.Noise(judge.Compare(times, slices.Repeat([]float64{1}, len(times)), judge.Terms{Margin: 1}))
}

// scatter sets the noise by the differences of unchanged code: the linker puts it in one place for all
// processes of a build, and no interval shows that.
func (r *Result) scatter() {
	if !r.OneMachine {
		return
	}
	of, all := map[string][]float64{}, map[string][]float64{}
	for _, row := range slices.Concat(r.Rows, r.others) {
		if v := row.compared(1).Value; row.asked() && row.constant && !row.Share && v > 0 {
			of[row.cells] = append(of[row.cells], math.Log(v))
			all[row.Unit] = append(all[row.Unit], math.Log(v))
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.constant || row.Share || !row.asked() {
			continue
		}
		row.equals = of[row.cells]
		if len(row.equals) < fewestEquals {
			row.equals = all[row.Unit]
		}
	}
}

// noiseLimit returns the greatest Value that is not significant as one of so many
// comparisons: what equals scatter by hides it, by Student's t.
func (r *Row) noiseLimit(comparisons int) float64 {
	n := float64(len(r.equals))
	if n < fewestEquals {
		return r.noise
	}
	missed := (1 - judge.Confidence) / float64(max(comparisons, 1))
	t := distuv.StudentsT{Sigma: 1, Nu: n}.Quantile(1 - missed/2)
	return max(r.noise, math.Exp(t*floats.Norm(r.equals, 2)/math.Sqrt(n)))
}
