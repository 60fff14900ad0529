import type { Extractor } from '../../core/driver/extractor.ts';
import { questionWithSchema } from '../extraction.ts';
import { configurationEnvironment } from './configuration.ts';
import { conversationFlags } from './launch.ts';
import { OWN_AGENT } from './runRules.ts';
import { StreamReader } from './stream.ts';

export const extractor: Extractor = {
	launch: request => {
		const name = `${OWN_AGENT}notes-${crypto.randomUUID()}`;
		const agent = {
			description: 'Keeps the notes of a project',
			mode: 'primary',
			prompt: request.rules,
			permission: { '*': 'deny' },
		};
		return {
			args: [
				'run',
				'--format=json',
				...conversationFlags({ resume: undefined, model: request.model }),
				`--agent=${name}`,
				// Without a title the CLI asks a model for one.
				'--title=notes',
				// No plugins: they may have hooks and tools.
				'--pure',
			],
			stdin: questionWithSchema(request),
			env: configurationEnvironment(request.env, { agent: { [name]: agent }, isHeld: true, isHeadless: true }),
			sessionIsKnown: false,
		};
	},
	reader: () => new StreamReader(),
};
