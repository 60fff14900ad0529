/** How often a kill test goes round: `NANCY_ROUNDS`, else as often as is worth it every time. */
export function roundsOr(usual: number): number {
	return Number(process.env['NANCY_ROUNDS'] ?? usual);
}

/** How many delegates are watched at once: `NANCY_WATCHED`, else so many that the machine has the memory. Each takes two programs of 65 MB. */
export function watchedOr(usual: number): number {
	return Number(process.env['NANCY_WATCHED'] ?? usual);
}

/** How often two answers meet: `NANCY_RACES`, else as often as is worth it every time. Each round is a turn of an agent, or several processes. */
export function racesOr(usual: number): number {
	return Number(process.env['NANCY_RACES'] ?? usual);
}

/** How many file calls lie between one kill and the next: `NANCY_STRIDE`, else so many that the test is affordable every time. */
export function strideOr(usual: number): number {
	return Number(process.env['NANCY_STRIDE'] ?? usual);
}

/** The file calls before which a kill test kills, without end. Each run begins with another one, so that in time every call is met. */
export function* killPoints(stride: number): Generator<number> {
	for (let point = Math.floor(Math.random() * stride); ; point += stride) yield point;
}

/** Every so many of them, and each run begins with another one. */
export function someOf<T>(all: readonly T[], stride: number): T[] {
	const first = Math.floor(Math.random() * stride);
	return all.filter((_, index) => index % stride === first);
}

/** How many cases of a property are tried: `NANCY_CASES`, else as many as are worth it every time. */
export function casesOr(usual: number): number {
	return Number(process.env['NANCY_CASES'] ?? usual);
}
