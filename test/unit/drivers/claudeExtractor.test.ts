import { describe, expect, it } from 'vitest';
import { extractor } from '../../../src/drivers/claude-code/extractor.ts';

const texts = {
	rules: 'R',
	digest: '<digest>@x</digest>',
	order: 'O',
	schema: { type: 'object' },
	model: undefined,
	folder: '/own',
	env: {},
};
const result = (more: object) =>
	extractor
		.reader()
		.read(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'words', ...more }));

describe('an extraction by Claude Code', () => {
	it('has no tools, no hooks and no session, in this and in older versions', () => {
		for (const version of [
			[2, 1, 329],
			[2, 1, 118],
		] as const) {
			const { args, stdin } = extractor.launch({ ...texts, version });
			expect(args.join(' ')).toMatch(/--tools {2}.*--strict-mcp-config --no-session-persistence/);
			expect(args.includes('--safe-mode')).toBe(version[2] === 329);
			expect(args.includes('{"disableAllHooks":true}')).toBe(version[2] !== 329);
			// The order is the last block, in which alone the CLI looks for mentions.
			expect(JSON.parse(stdin)).toMatchObject({ message: { content: [{ text: texts.digest }, { text: 'O' }] } });
		}
	});

	it('answers with its structured output, or in prose, and fails as the CLI does', () => {
		expect(result({ structured_output: { a: 1 }, total_cost_usd: 0.5 })).toMatchObject([
			{ is: 'result', result: { text: '{"a":1}', costUsd: 0.5 } },
		]);
		expect(result({})).toMatchObject([{ result: { text: 'words', failure: undefined } }]);
		expect(result({ subtype: 'error_max_structured_output_retries', is_error: true })).toMatchObject([
			{ result: { failure: { reason: 'words' } } },
		]);
		expect(extractor.reader().read('no JSON')).toEqual([]);
	});
});
