/** A file of the spool as listed. Its time gives its order, and time and name identify it. */
export interface WaitingFile {
	name: string;
	mtimeNs: bigint;
	size: number;
}

/** Files that are read and stored together: enough for a batch, few enough for memory. */
const BATCH_FILES = 512;
const BATCH_BYTES = 8 * 1024 * 1024;

/** The id of a file's record. Unique, and the same again after a crash: a rename keeps both name and time. */
export function recordId({ name, mtimeNs }: Pick<WaitingFile, 'name' | 'mtimeNs'>): string {
	return `${name}@${mtimeNs}`;
}

const numerically = new Intl.Collator('en', { numeric: true });

/**
 * By time. File systems keep time only to a few milliseconds. Within one step the rest of the name decides, which begins with the writer's
 * pid. Later processes have the higher one, unless the numbers wrap around.
 */
export function byTime(a: WaitingFile, b: WaitingFile): number {
	if (a.mtimeNs !== b.mtimeNs) return a.mtimeNs < b.mtimeNs ? -1 : 1;
	return numerically.compare(uniqueOf(a.name), uniqueOf(b.name));
}

function uniqueOf(name: string): string {
	return name.slice(name.lastIndexOf('~') + 1);
}

/** The files in the same order, in portions that fit into memory. */
export function* batches(files: readonly WaitingFile[]): Generator<WaitingFile[]> {
	let batch: WaitingFile[] = [];
	let bytes = 0;
	for (const file of files) {
		if (batch.length > 0 && (batch.length >= BATCH_FILES || bytes + file.size > BATCH_BYTES)) {
			yield batch;
			batch = [];
			bytes = 0;
		}
		batch.push(file);
		bytes += file.size;
	}
	if (batch.length > 0) yield batch;
}
