import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { uniqueHex } from '../../src/base/unique.ts';
import { patientHandOver, repository } from './programs.ts';
import { hookRuntime } from './runtime.ts';

/** A runtime beside the tests' own, into whose program for prepared messages, or whose part of the guard, a line can be put. */
export class HandOverRuntime implements Disposable {
	/** The lines of `hooks/hand-over.pl`. */
	static readonly source = linesOf('hand-over.pl');
	/** The lines of `hooks/hand-over`, which wait longer. */
	static readonly guard = patientHandOver().split('\n');

	private constructor(readonly launcher: string) {}

	static async make(): Promise<HandOverRuntime> {
		const whole = await hookRuntime();
		const folder = join(dirname(dirname(whole)), `0.0.0-${uniqueHex(8)}`);
		cpSync(dirname(whole), folder, { recursive: true, verbatimSymlinks: true });
		return new HandOverRuntime(join(folder, basename(whole)));
	}

	/** Puts a line into the program before another one, in the place of what was put there earlier. */
	insert(line: string, at: number): void {
		this.write('hand-over.pl', HandOverRuntime.source.toSpliced(at, 0, line));
	}

	/** {@link insert} for commands of a shell, which find a word of the program as `$1`. */
	insertShell(commands: string, at: number, word = "''"): void {
		this.insert(`system '/bin/sh', '-c', '${commands.replaceAll(/['\\]/g, '\\$&')}', 'sh', ${word};`, at);
	}

	/** Puts another text into the program in the place of one. What was put there earlier is gone. */
	replace(text: string, other: string): void {
		this.write('hand-over.pl', [HandOverRuntime.source.join('\n').replaceAll(text, () => other)]);
	}

	/** {@link insert} for the part of the guard. */
	insertInGuard(line: string, at: number): void {
		this.write('hand-over', HandOverRuntime.guard.toSpliced(at, 0, line));
	}

	private write(name: string, lines: readonly string[]): void {
		writeFileSync(join(dirname(this.launcher), name), lines.join('\n'));
	}

	[Symbol.dispose](): void {
		rmSync(dirname(this.launcher), { recursive: true, force: true });
	}
}

function linesOf(name: string): readonly string[] {
	return readFileSync(join(repository, 'hooks', name), 'utf8').split('\n');
}
