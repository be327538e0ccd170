--- contentionz 1 ---
format = java
resolution = microseconds
sampling period = 100
ms since reset = 6019923
            14        1 @ 0x3 0x4

  0x3 com.example.A.b (A.java:33)
  0x4 x (/a/b//)
