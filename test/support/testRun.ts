/** The environment variable that marks every process of one `npm test`, so that none outlives it. */
export const TEST_RUN = 'TEST_RUN';

/** For programs that get nothing else from the environment of the tests. */
export function testRunMark(): Record<string, string> {
	const mark = process.env[TEST_RUN];
	return mark === undefined ? {} : { [TEST_RUN]: mark };
}
