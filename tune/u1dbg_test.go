package tune
import ("testing";"fmt";"time";"schedbench/workload";"math")
func uLat() *Calibration { c:=flat(); q:=make([]float64,1001); p:=make([]float64,1001); for i:=range q { u:=float64(i)/1000; q[i]=60e-6+1e-3*u+ 1e-4*math.Pow(u,50); p[i]=40e-6+40e-6*u+200e-6*math.Pow(u,100)}; c.Latency[Runtime]=q; c.Latency[Precise]=p; return c}
func TestXDbg(t *testing.T){
 for _,p:=range workload.Builtin(){
  src:=Source{Name:p.Name,Open:p.Stream,Scalable:true}
  t0:=time.Now()
  l,err:=LoadOfSource(src,workload.Options{Seed:1,For:p.Length()},LoadOptions{Warm:FindWarm})
  if err!=nil{t.Fatal(err)}
  t1:=time.Now()
  for _,r:=range []Requirements{{},{Lateness:5*ms},{Lateness:100*ms,MustTick:true},{Lateness:20*time.Microsecond,CPU:.001},{CPU:.0001}} {
  ch,err:=Choose(l,uLat(),r)
  if err!=nil{t.Fatal(err)}
  fmt.Printf("== %s load %v choose %v n=%d %+v\n",p.Name,t1.Sub(t0),time.Since(t1),len(ch.All),r)
  t1=time.Now()
  if ch.Pick!=nil { fmt.Printf("  %v\n  pick %v cpu %.4g%% late %.4gms mem %.4g wake %.1f\n  why %s\n  lost %v: %s\n  knee %v\n",ch.Notes,ch.Pick.Config,ch.Pick.CPU.Value*100,ch.Pick.Lateness.Value*1e3,ch.Pick.Memory.Value,ch.Pick.Wakeups,ch.Why,ch.RunnerUp,ch.Lost,ch.Knee) 
  } else {fmt.Printf("  %v %+v\n",ch.Notes,*ch.Infeasible)}
  }
 }
}
