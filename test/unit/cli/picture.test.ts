import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from '../../support/tempFolder.ts';
import { NancyCommand } from './nancyCommand.ts';

const folder = tempFolder('nancy picture ');
let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
	mkdirSync(folder.file('src'));
	writeFileSync(folder.file('src/a.ts'), 'const a = 1;\nconst b = 2;\nconst c = 3;\n');
});
afterAll(async () => {
	await nancy[Symbol.asyncDispose]();
	await folder.remove();
});

const run = (...args: string[]) => nancy.run(['picture', ...args], { cwd: folder.path });

describe('nancy picture', () => {
	it('draws what a command prints, by the program that the package brings', async () => {
		const command = "printf '\\033[31mred\\033[0m'; echo oops >&2; exit 3";
		const { code, stdout, stderr } = await nancy.start(['picture', '-e', command], { cwd: folder.path });

		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		expect(stdout).toMatch(/^<svg [\s\S]*>red<[\s\S]*>oops<[\s\S]*<\/svg>\n$/);
	});

	it('writes the named lines of a file with their numbers', async () => {
		const { code, stdout } = await run('src/a.ts:2-3', '-o', 'a.svg', '--json');
		const svg = readFileSync(folder.file('a.svg'), 'utf8');

		expect(code).toBe(0);
		expect(JSON.parse(stdout)).toEqual({ lines: 2, file: folder.file('a.svg') });
		expect(svg).toMatch(/>2<[\s\S]*>const<[\s\S]*>3</);
		expect(svg).not.toContain('>1<');
		expect(svg).toContain('>src/a.ts<');
	});

	it.each([
		[['src/a.ts:9'], 2, 'has 3 lines only'],
		[['src/a.ts:3-2'], 2, 'lines 3-2 are no range'],
		[['src/none.ts'], 1, 'src/none.ts cannot be read'],
		[['src'], 1, 'src is no file'],
		[[], 2, 'name a file, or a command with --execute'],
		[['src/a.ts', '-e', 'true'], 2, 'name a file, or a command with --execute'],
		[['-e', 'head -c 2000000 /dev/zero'], 2, 'the command prints more than 1048576 bytes'],
		[['-e', 'seq 3000'], 2, 'too many for a picture'],
	])('says what is wrong with %j', async (args, code, says) => {
		expect(await run(...args)).toEqual({ code, stdout: '', stderr: expect.stringContaining(says) });
	});

	it('does nothing for an agent, which could read, run and write more by it than it may', async () => {
		const env = { CLAUDECODE: '1' };
		const { code, stderr } = await nancy.run(['picture', '-e', 'touch ran', '-o', 'b.svg'], {
			cwd: folder.path,
			env,
		});

		expect(code).not.toBe(0);
		expect(stderr).toContain('an agent may not have files and commands drawn');
		expect(readdirSync(folder.path)).toEqual(['a.svg', 'src']);
	});
});
