import type { HeadlessFormat } from '../../core/headless.ts';
import { modelFlags } from './launch.ts';
import { StreamReader } from './stream.ts';

export const headless: HeadlessFormat = {
	permissionModes: [
		{
			id: 'default',
			label: 'Look',
			detail: 'Reads; nothing that would change something is offered to it.',
			width: 0,
		},
		{ id: 'auto_edit', label: 'Edit', detail: 'Edits files; it is offered no other commands.', width: 1 },
		{ id: 'yolo', label: 'Everything', detail: 'Whatever it wants, unasked. For sandboxes.', width: 2 },
	],
	// Trust and hooks are the folder's, and a worktree is a new one each time.
	runsIn: 'workspace',
	launch: ({ session, resume, model, permissions, extra, prompt }) => ({
		args: [
			resume === undefined ? `--session-id=${session}` : `--resume=${resume}`,
			...modelFlags(model),
			'--output-format=stream-json',
			`--approval-mode=${permissions}`,
			...extra,
		],
		// What is piped in is the prompt, and the run ends with it.
		stdin: prompt,
		env: {},
		sessionIsKnown: true,
	}),
	reader: () => new StreamReader(),
};
