import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { identify, liveness } from '../../src/base/liveness.ts';
import { uniqueHex } from '../../src/base/unique.ts';

/** A runtime beside another one, whose program takes its time to start. */
export interface SlowRuntime extends Disposable {
	launcher: string;
	/** The process of the guard, and later of its program; undefined until the program is about to be started. */
	readonly pid: () => number | undefined;
	/** Whether that process has ended. It has not before there is one. */
	readonly hasEnded: () => boolean;
	/** Starts the program, and any later one at once, where no time was given for that. */
	readonly open: () => void;
}

/**
 * @param launcher of a runtime that is installed
 * @param seconds until the program starts; without them, it does when it is opened
 */
export function slowRuntime(launcher: string, seconds?: number): SlowRuntime {
	const folder = join(dirname(dirname(launcher)), `0.0.0-${uniqueHex(8)}`);
	cpSync(dirname(launcher), folder, { recursive: true, verbatimSymlinks: true });
	const node = join(folder, 'node');
	const begun = join(folder, 'begun');
	const gate = join(folder, 'open');
	// Nothing waits for longer than the runtime is there.
	const untilOpen = `while [ -e "$nancy_place/begun" ] && ! [ -e "$nancy_place/open" ]; do /bin/sleep 0.05; done`;
	rmSync(node);
	const lines = [
		'#!/bin/sh',
		`echo $$ >"$nancy_place/begun"`,
		seconds === undefined ? untilOpen : `/bin/sleep ${seconds}`,
		`exec '${process.execPath}' "$@"`,
	];
	writeFileSync(node, `${lines.join('\n')}\n`);
	chmodSync(node, 0o755);
	const pid = () => (existsSync(begun) ? Number(readFileSync(begun, 'utf8')) || undefined : undefined);
	return {
		launcher: join(folder, basename(launcher)),
		pid,
		hasEnded: () => {
			const started = pid();
			return started !== undefined && liveness(identify(started)) === 'dead';
		},
		open: () => writeFileSync(gate, ''),
		[Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
	};
}
