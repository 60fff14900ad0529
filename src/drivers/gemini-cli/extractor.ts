import type { Extractor } from '../../core/driver/extractor.ts';
import { ownFile, questionWithSchema } from '../extraction.ts';
import { StreamReader } from './stream.ts';

/** No tool is even offered. */
const NOTHING = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n';

export const extractor: Extractor = {
	launch: request => {
		const [instructions, policy] = [ownFile(request, 'md', request.rules), ownFile(request, 'toml', NOTHING)];
		return {
			args: [
				'--output-format=stream-json',
				// Without a model's name the CLI first asks another one which to take.
				`--model=${request.model ?? 'flash-lite'}`,
				'--extensions=none',
				'--allowed-mcp-server-names=none',
				'--allowed-tools=none',
				`--policy=${policy.path}`,
				'--approval-mode=default',
				// The folder is Nancy's own and empty. The CLI works in no folder that is not trusted.
				'--skip-trust',
			],
			stdin: questionWithSchema(request),
			env: { GEMINI_SYSTEM_MD: instructions.path },
			files: [instructions, policy],
			sessionIsKnown: false,
		};
	},
	reader: () => new StreamReader(),
};
