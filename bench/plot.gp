# Draws the figures of docs/PERFORMANCE.md from the columns of bench/table.py:
#   gnuplot -e "data='FOLDER'; out='FOLDER'" bench/plot.gp
# Lines differ in dashes and points as well as in tone, so that they can be told apart in grey print.
set terminal svg size 720,440 font "sans-serif,13" background "white"
set encoding utf8
set grid ytics lc rgb "#dddddd" dt 1
set border 3
set tics nomirror
set style line 1 lc rgb "#000000" lw 2 dt 1 pt 7 ps 0.8
set style line 2 lc rgb "#555555" lw 2 dt 2 pt 5 ps 0.8
set style line 3 lc rgb "#999999" lw 2 dt 4 pt 9 ps 0.9
set style line 4 lc rgb "#bbbbbb" lw 2 dt 3 pt 11 ps 0.9
set style line 9 lc rgb "#000000" lw 1 dt 3

set output out."/ratio.svg"
set title "Ashlar against ScaLAPACK's pdgemm, m = n = k: medians and quartiles"
set xlabel "n (rows and columns)"
set ylabel "time ratio (below 1: Ashlar is faster)"
set key bottom right title "process grid of the data"
set xrange [0:*]
set yrange [0:1.2<*]
plot for [i=0:2] data."/ratio.dat" index i using 1:2:3:4 with yerrorbars ls i+1 dt 1 lw 1 notitle, \
     for [i=0:2] data."/ratio.dat" index i using 1:2 with linespoints ls i+1 title columnheader(1), \
     1 ls 9 notitle

set output out."/rate.svg"
set title "Rate, m = n = k"
set ylabel "rate (% of dgemm on one core × cores)"
set key at screen 0.5, screen 0.02 center bottom vertical maxrows 2 notitle # below the axis title
set bmargin 7
set yrange [0:110<*]
plot for [i=0:3] data."/rate.dat" index i using 1:2 with linespoints ls i+1 title columnheader(1), 100 ls 9 notitle

set output out."/words.svg"
set title "Words received by the busiest rank over the lower bound"
set xlabel "ranks"
set ylabel "words / bound"
set key inside top right vertical maxrows auto notitle
set bmargin
set logscale x 2
set xrange [2:32768]
set yrange [0.98:*]
plot for [i=0:2] data."/words.dat" index i using 1:2 with linespoints ls i+1 title columnheader(1), 1 ls 9 notitle

set output out."/cluster.svg"
unset logscale x
set logscale x 10
set multiplot layout 1,2 title "Ashlar against ScaLAPACK's pdgemm on thin links: medians and quartiles"
set xlabel "link, Mbit/s"
set ylabel "time ratio (below 1: Ashlar is faster)"
set xrange [80:1250]
set yrange [0:1.2<*]
set xtics (100, 200, 500, 1000)
set key bottom right
do for [hosts in "4 8"] {
    file = data."/cluster-".hosts.".dat"
    set title hosts." hosts"
    plot for [i=0:3] file index i using 1:2:3:4 with yerrorbars ls i+1 dt 1 lw 1 notitle, \
         for [i=0:3] file index i using 1:2 with linespoints ls i+1 title columnheader(1), \
         1 ls 9 notitle
}
unset multiplot
