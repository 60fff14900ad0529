import type { Extractor } from '../../core/driver/extractor.ts';
import { questionWithSchema } from '../extraction.ts';
import { StreamReader } from './stream.ts';

export const extractor: Extractor = {
	launch: request => ({
		args: [
			'--output-format=json',
			...(request.model === undefined ? [] : [`--model=${request.model}`]),
			// The name of no tool: none is offered.
			'--available-tools=none',
			'--no-custom-instructions',
			'--disable-builtin-mcps',
			'--no-ask-user',
		],
		// No flag sets a system prompt.
		stdin: `${request.rules}\n\n${questionWithSchema(request)}`,
		env: { COPILOT_ALLOW_ALL: '' },
		sessionIsKnown: false,
	}),
	reader: () => new StreamReader(),
};
