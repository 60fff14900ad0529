/** How often a kill test goes round: `NANCY_ROUNDS`, else as often as is worth it every time. */
export function roundsOr(usual: number): number {
	return Number(process.env['NANCY_ROUNDS'] ?? usual);
}

/** In milliseconds. On a machine that has much else to do, a round takes several seconds. */
export function longestTimeOf(rounds: number): number {
	return 60_000 + rounds * 15_000;
}
