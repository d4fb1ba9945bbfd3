package tune
import ("testing";"fmt";"time";"schedbench/workload")
func TestXDbg(t *testing.T){
 for _,n:=range []string{"http-deadline","cache-ttl","tcp-rto","long-uniform"}{
  p,_:=workload.Find(n)
  src:=Source{Name:p.Name,Open:p.Stream,Scalable:true}
  t0:=time.Now()
  l,err:=LoadOfSource(src,workload.Options{Seed:1,For:p.Length()},LoadOptions{Warm:FindWarm})
  if err!=nil{t.Fatal(err)}
  fmt.Println(n,time.Since(t0),l.Span,l.Warm,l.Pending,l.Held)
 }
}
