import java.io.File;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;

/**
 * interpreted.py in Java, with the same arguments, functions and FILE. Its thread is called "watch", and
 * begins in `begin`.
 */
public class Watched {
	static final long GAP_NS = 5000;
	static final int PAUSES = 1 << 18, BETWEEN = 1000;
	static volatile long sink;
	static ByteBuffer notes;
	static RandomAccessFile status, schedstat;
	static long switches, waited;

	static long a4(long n) {
		return n + 1;
	}

	static long a3(long n) {
		return a4(n) + 1;
	}

	static long a2(long n) {
		return a3(n) + 1;
	}

	static long a1(long n) {
		return a2(n) + 1;
	}

	static long b4(long n) {
		return n - 1;
	}

	static long b3(long n) {
		return b4(n) - 1;
	}

	static long b2(long n) {
		return b3(n) - 1;
	}

	static long b1(long n) {
		return b2(n) - 1;
	}

	static String text(RandomAccessFile file) throws Exception {
		byte[] bytes = new byte[4096];
		file.seek(0);
		return new String(bytes, 0, Math.max(0, file.read(bytes)), StandardCharsets.ISO_8859_1);
	}

	/** Times that the thread gave up its CPU, and nanoseconds for which it was ready and waited. */
	static void account() throws Exception {
		String all = text(status), word = "\nvoluntary_ctxt_switches:";
		int at = all.indexOf(word) + word.length();
		switches = Long.parseLong(all.substring(at, all.indexOf('\n', at)).trim());
		waited = Long.parseLong(text(schedstat).split(" ")[1]);
	}

	static long watch() throws Exception {
		long steps = 0;
		int pauses = 0;
		account();
		long last = System.nanoTime();
		while (true) {
			sink = a1(steps) + b1(steps);
			steps++;
			long now = System.nanoTime();
			if (now - last > GAP_NS && pauses < PAUSES) {
				long before = switches, ready = waited;
				account();
				if (switches > before) {
					notes.putLong(16 * (1 + pauses), now - last);
					notes.putLong(16 * (1 + pauses) + 8, waited - ready);
					notes.putLong(8, ++pauses);
				}
				now = System.nanoTime();
			}
			if (steps % BETWEEN == 0)
				notes.putLong(0, steps);
			last = now;
		}
	}

	static long down(int frames) throws Exception {
		return frames > 0 ? down(frames - 1) + 1 : watch();
	}

	static void begin(int frames) {
		try {
			status = new RandomAccessFile("/proc/thread-self/status", "r");
			schedstat = new RandomAccessFile("/proc/thread-self/schedstat", "r");
			down(frames - 3);
		} catch (Exception e) {
			throw new AssertionError(e);
		}
	}

	public static void main(String[] arguments) throws Exception {
		int frames = Integer.parseInt(arguments[1]);
		try (RandomAccessFile file = new RandomAccessFile(new File(arguments[0]), "rw")) {
			file.setLength(16L * (1 + PAUSES));
			notes = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 16L * (1 + PAUSES));
			notes.order(ByteOrder.nativeOrder());
		}
		new Thread(null, () -> begin(frames), "watch", 64 << 20).start();
	}
}
