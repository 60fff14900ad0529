import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './table.ts';

/** A command as a shell would write it; `$event` is the file that becomes its standard input. */
export interface Timed {
	name: string;
	command: string;
	/** Runs a round takes; slow commands take fewer. */
	runs?: number;
	/** Run before each round, outside of the measured time. */
	before?: () => void | Promise<void>;
}

/**
 * Time of one run of each command, in milliseconds: the median over rounds that take turns, each a loop in a small shell, whose
 * fork and exec is what an agent's own spawn costs at least.
 */
export async function timeInShell(
	event: string,
	commands: readonly Timed[],
	rounds = 15,
): Promise<Map<string, number>> {
	const folder = mkdtempSync(join(tmpdir(), 'nancy-bench-'));
	const times = new Map<string, number[]>(commands.map(({ name }) => [name, []]));
	try {
		for (const [index, { command, runs = 40 }] of commands.entries()) {
			writeFileSync(
				join(folder, `${index}.sh`),
				`i=0; while [ $i -lt ${runs} ]; do ${command} <"$event" >/dev/null; i=$((i+1)); done\n`,
			);
		}
		for (let round = -1; round < rounds; round++) {
			for (const [index, { name, runs = 40, before }] of commands.entries()) {
				await before?.();
				const start = process.hrtime.bigint();
				execFileSync('/bin/sh', [join(folder, `${index}.sh`)], { env: { ...process.env, event } });
				if (round >= 0) times.get(name)?.push(Number(process.hrtime.bigint() - start) / 1e6 / runs);
			}
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	return new Map([...times].map(([name, values]) => [name, median(values)]));
}
