# Draws the figure of docs/PERFORMANCE_TENSORS.md, "The paper's methods", from the lines of bench/methods:
#   gnuplot -e "data='FILE'; out='FILE.svg'" bench/methods.gp
set terminal svg size 900,400 font "sans-serif,13" background "white"
set encoding utf8
set output out
set title "4000 × 4000 × 4000 on 4 ranks: seconds of disk and network"
set style data histogram
set style histogram clustered gap 1
set style fill solid border rgb "#000000"
set boxwidth 0.9
set border 3
set tics nomirror
set grid ytics lc rgb "#dddddd" dt 1
set yrange [0:*]
set ylabel "seconds"
set xtics font ",11"
in_two(name) = name[1:strstrt(name, "/")] . "\n" . name[strstrt(name, "/") + 1:*]
set key top left
plot data using 8:xtic(in_two(strcol(1))) title "predicted" lc rgb "#444444", data using 9 title "measured" lc rgb "#cccccc"
