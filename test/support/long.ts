/** Options of a test that `npm test` leaves out, and `npm run faults` runs: another one shows the same on the same road. */
export const long = { tags: 'long' } as const;

/** The options `long` of a case of a table, if `isLong`. */
export function longIf(isLong: boolean): Partial<typeof long> {
	return isLong ? long : {};
}
