import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { uniqueHex } from '../../src/base/unique.ts';
import { repository } from './programs.ts';
import { hookRuntime } from './runtime.ts';

/** A runtime beside the tests' own, into whose part of the guard a line can be put. */
export class HandOverRuntime implements Disposable {
	/** The lines of `hooks/hand-over`. */
	static readonly source: readonly string[] = readFileSync(join(repository, 'hooks', 'hand-over'), 'utf8').split(
		'\n',
	);

	private constructor(readonly launcher: string) {}

	static async make(): Promise<HandOverRuntime> {
		const whole = await hookRuntime();
		const folder = join(dirname(dirname(whole)), `0.0.0-${uniqueHex(8)}`);
		cpSync(dirname(whole), folder, { recursive: true, verbatimSymlinks: true });
		return new HandOverRuntime(join(folder, basename(whole)));
	}

	/** Puts a line before another one, in the place of what was put there earlier. */
	insert(line: string, at: number): void {
		const text = HandOverRuntime.source.toSpliced(at, 0, line).join('\n');
		writeFileSync(join(dirname(this.launcher), 'hand-over'), text);
	}

	[Symbol.dispose](): void {
		rmSync(dirname(this.launcher), { recursive: true, force: true });
	}
}
