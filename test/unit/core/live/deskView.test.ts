import { expect, it } from 'vitest';
import { DeskView } from '../../../../src/core/live/deskView.ts';
import { taskView } from '../../../support/taskViews.ts';

it('shows what a CLI tells its user as one bounded line, without control characters and paths of this machine', () => {
	const task = taskView('fix', { workers: ['working'] });
	const at = new Date(0).toISOString();
	const text = `Built /home/me/.local\u001b[31m\u202e <b>${'x'.repeat(5000)}`;
	const workers = task.workers.map(worker => ({ ...worker, alert: { text, at } }));
	const words = {
		agentName: () => 'Fake',
		limitOf: () => undefined,
		withoutPaths: (each: string) => each.replaceAll('/home/me', '~'),
	};
	const { tasks } = new DeskView(words).of([
		{
			id: '0123456789ab',
			name: 'project',
			overview: () => ({ tasks: [{ ...task, workers }], problems: [] }),
			messages: () => ({ messages: [], problems: [] }),
			delegates: () => [],
			questions: () => [],
		},
	]);
	const shown = tasks[0]?.workers[0]?.alert?.text ?? '';
	expect(shown).toMatch(/^Built ~\/\.local/);
	for (const hidden of ['\u001b', '\u202e']) expect(shown).not.toContain(hidden);
	expect(shown.length).toBeLessThan(1000);
});
