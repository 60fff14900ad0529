import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import type { Way } from './way.ts';

/** For a first connection, in milliseconds. */
const FIND_MS = 60_000;

/** Runs none of them: a queue's command may take any argument for a job. */
const SCRIPT = `
found=
for program; do
	if command -v "$program" >/dev/null 2>&1; then is=true; else is=false; fi
	found="$found\${found:+,}$is"
done
printf 'NANCY [%s]\\n' "$found"
`;

/**
 * Those of some programs that a login shell there does not find.
 * @param programs by their names or absolute paths
 * @throws NancyError as `Way.ask` does, and `io` for an answer that is none
 */
export async function missingThere(way: Way, programs: readonly string[]): Promise<string[]> {
	if (programs.length === 0) return [];
	const Answer = z.array(z.boolean()).check(z.length(programs.length));
	const parsed = Answer.safeParse(await way.ask(['sh', '-c', SCRIPT, 'nancy', ...programs], '', FIND_MS));
	if (!parsed.success) throw new NancyError('io', phrase`the answer of ${way.place} makes no sense`);
	return programs.filter((_, at) => !parsed.data[at]);
}
