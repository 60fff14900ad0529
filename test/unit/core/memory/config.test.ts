import { expect, it } from 'vitest';
import { namedConfig, unusedKeys } from '../../../../src/core/memory/config.ts';

it('takes max_context_tokens as the cap, and names each key of config.toml that has no effect', () => {
	expect(namedConfig({ max_context_tokens: 500 })).toEqual({ context: { max_tokens: 500 } });
	expect(namedConfig({ context: { max_context_tokens: 600 } })).toEqual({ context: { max_tokens: 600 } });
	const config = {
		max_context_tokens: 500,
		claude: { api_key_env: 'KEY' },
		repl: { mode: 'full', agnet: 'x' },
		other: 1,
	};
	expect(unusedKeys('config.toml', config).map(({ reason }) => reason)).toEqual([
		expect.stringContaining('claude.api_key_env has no effect'),
		expect.stringContaining('no key repl.agnet'),
		expect.stringContaining('no key other'),
	]);
});
