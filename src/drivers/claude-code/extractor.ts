import * as z from 'zod/mini';
import type { Extractor } from '../../core/driver/extractor.ts';
import { isAtLeast, type Version } from '../../base/version.ts';
import { valueOf } from '../stream.ts';
import { messageOf, Result, resultOf } from './headless.ts';

/** The first version known to have `--safe-mode`: no hooks, no plugins, no instructions of the user's, but the user's login. */
const SAFE_MODE: Version = [2, 1, 329];

const Line = z.lazy(() => z.looseObject({ type: z.literal('result'), structured_output: z.optional(z.unknown()) }));

export const extractor: Extractor = {
	launch: ({ rules, digest, order, schema, model, version }) => ({
		args: [
			'-p',
			// As stream: in a prompt of plain text the CLI reads every file mentioned as `@path`.
			'--input-format',
			'stream-json',
			'--output-format',
			'stream-json',
			'--verbose',
			'--model',
			model ?? 'haiku',
			'--tools',
			'',
			...(isAtLeast(version, SAFE_MODE)
				? ['--safe-mode']
				: ['--setting-sources', 'user', '--settings', '{"disableAllHooks":true}', '--disable-slash-commands']),
			'--strict-mcp-config',
			'--no-session-persistence',
			// A answer that does not fit the schema goes back to the model.
			'--max-turns',
			'4',
			'--system-prompt',
			rules,
			'--json-schema',
			JSON.stringify(schema),
		],
		stdin: messageOf(digest, order),
		env: { CLAUDE_CODE_MAX_RETRIES: '2', CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1' },
		sessionIsKnown: false,
	}),
	reader: () => ({
		read: printed => {
			const line = valueOf(printed);
			const [kind, parsed] = [Line.safeParse(line), Result.safeParse(line)];
			if (!kind.success || !parsed.success) return [];
			const { result } = resultOf(parsed.data);
			const { structured_output: answer } = kind.data;
			// A model that writes prose instead ends well, with the exit code 0.
			const text = answer === undefined ? result.text : JSON.stringify(answer);
			return [{ is: 'result', result: { ...result, text } }];
		},
		end: () => [],
	}),
};
