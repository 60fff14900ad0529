/** How often a kill test goes round: `NANCY_ROUNDS`, else as often as is worth it every time. */
export function roundsOr(usual: number): number {
	return Number(process.env['NANCY_ROUNDS'] ?? usual);
}
