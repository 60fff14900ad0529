import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** All that a CLI can hear from: the drivers with their files for the CLIs, the hook program, its guard, the plugin. */
const texts = new Map(
	globSync(['src/{drivers,hook,core,process,delegates}/**/*.ts', 'hooks/*', 'plugin/**/*.md', 'plugin/door'], {
		cwd: root,
	})
		.map(file => file.replaceAll('\\', '/'))
		.toSorted()
		.map(file => [file, withoutComments(readFileSync(join(root, file), 'utf8'))] as const),
);

/** Where something stands, as `<file>: <what stands there>`. */
const found = (what: RegExp): string[] =>
	[...texts].flatMap(([file, text]) =>
		Array.from(text.matchAll(what), ([all]) => `${file}: ${all.replaceAll(/\s+/g, ' ')}`),
	);

/** Where a word stands in quotes, escaped ones and those of a settings file among them, with what is before it. */
const said = (words: string) => found(new RegExp(`[\\w.]*\\W{0,5}(\\\\?['"\`])(?:${words})\\1`, 'g'));

describe('what Nancy says to a CLI', () => {
	it('is looked for in every driver, in the hook program and in the guard', () => {
		expect(texts.size).toBeGreaterThan(150);
		expect([...texts.keys()]).toEqual(expect.arrayContaining(['hooks/nancy-hook', 'src/hook/ask.ts']));
		expect(said('deny').length).toBeGreaterThan(5);
	});

	it('has a word that allows only where a driver makes an answer of a person’s', () => {
		expect(said('allow|approve|approved')).toEqual([
			// The form of the answer, and the answer.
			"src/drivers/claude-code/asking.ts: z.literal('allow'",
			"src/drivers/claude-code/asking.ts: behavior: 'allow'",
			// The person's answer in the terminal.
			"src/drivers/claude-code/stdio.ts: z.enum(['allow'",
			"src/drivers/claude-code/stdio.ts: data.behavior === 'allow'",
			"src/drivers/copilot-cli/questions.ts: .startsWith('approved'",
			// A rule of the user's that a delegate does not get.
			"src/drivers/opencode/pluginRunQuestions.ts: action !== 'allow'",
		]);
		const places = said('accept|acceptForSession|approve-once|approve-for-session|always')
			.flatMap(each => each.split(':')[0] ?? [])
			// What a person says to a note of a project's memory.
			.filter(file => !file.startsWith('src/core/memory/'))
			// What an option on a screen means. Nobody types a key for that one: see screenQuestions.test.ts.
			.filter(file => !file.endsWith('/screenStates.ts'));
		expect([...new Set(places)]).toEqual([
			'src/drivers/codex/asking.ts',
			'src/drivers/copilot-cli/asking.ts',
			'src/drivers/copilot-cli/questions.ts',
			'src/drivers/opencode/asking.ts',
			'src/drivers/opencode/pluginQuestions.ts',
		]);
	});

	it('decides before a tool runs with a denial alone', () => {
		const decisions = found(/\bpermissionDecision\\?['"]?\s*:\s*[^\s,]+/g);
		expect(decisions.length).toBeGreaterThan(2);
		expect(decisions.filter(each => !/permissionDecision: (?:'deny'|z\.optional\()/.test(each))).toEqual([]);
	});
});

describe('an option that lets an agent go unasked', () => {
	it('is passed as nothing but the permissions of a delegate, which a person chooses', () => {
		const options =
			'--(?:auto|ui-server|yolo|allow-all[a-z-]*|trust-all[a-z-]*|full-auto|approve-for-me|dangerously-[a-z-]+)';
		expect(said(`${options}|yolo|bypassPermissions`)).toEqual([
			"src/drivers/amazon-q/headless.ts: EVERYTHING]: '--trust-all-tools'",
			"src/drivers/claude-code/headless.ts: EVERYTHING = 'bypassPermissions'",
			"src/drivers/copilot-cli/headless.ts: tools: ['--allow-all-tools'",
			"src/drivers/copilot-cli/headless.ts: all: ['--allow-all'",
			"src/drivers/gemini-cli/headless.ts: EVERYTHING = 'yolo'",
			"src/drivers/opencode/headless.ts: args: ['--auto'",
			"src/drivers/qwen-code/headless.ts: EVERYTHING = 'yolo'",
		]);
		expect(found(/ui-server/g)).toEqual([]);
	});
});

function withoutComments(code: string): string {
	return code.replace(/\/\*[^]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
