import type { Extractor } from '../../core/driver/extractor.ts';
import { questionWithSchema } from '../extraction.ts';
import { StreamReader } from './stream.ts';

export const extractor: Extractor = {
	launch: request => ({
		args: [
			'--output-format=stream-json',
			...(request.model === undefined ? [] : [`--model=${request.model}`]),
			`--system-prompt=${request.rules}`,
			// No hooks, no extensions, no servers, no instructions and no memory of the user's, but the user's login.
			'--safe-mode',
			'--chat-recording=false',
			'--approval-mode=default',
			'--exclude-tools=*',
		],
		stdin: questionWithSchema(request),
		env: {},
		sessionIsKnown: false,
	}),
	reader: () => new StreamReader(),
};
