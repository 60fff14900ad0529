/** Options of a test that `npm test` leaves out, and `npm run faults` runs: another one shows the same on the same road. */
export const long = { tags: 'long' } as const;

/** Options of a test that the `long` ones of its file go on from: `npm test` runs it, and so does what runs those alone. */
export const first = { tags: 'first' } as const;

/** The options `long` of a case of a table, if `isLong`. */
export function longIf(isLong: boolean): Partial<typeof long> {
	return isLong ? long : {};
}
