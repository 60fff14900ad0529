import { must, WORKS, type Cell } from '../cell.ts';

export const resume: Cell = {
	id: 'resume',
	title: 'Resumed in a terminal, it goes on with the same conversation as the same worker',
	needs: ['resume'],
	about: 'resume',
	triedAnyway: false,
	run: async lab => {
		const worker = await lab.start({ prompt: 'Remember the blue door. [[text:Remembered]]' });
		await worker.idle();
		await worker.terminal.close();
		const again = await lab.start({ prompt: 'Which door? [[text:The blue one]]', resume: true });
		const request = await lab.seen('Which door?');
		must(request.text.includes('Remember the blue door.'), 'it remembers nothing');
		must(again.address.worker === worker.address.worker, 'it became another worker');
		const { tasks } = await lab.nancy.tasks();
		must(tasks.length === 1, 'it was taken for a session that the user started');
		return WORKS;
	},
};

export const headlessResume: Cell = {
	id: 'headless-resume',
	title: 'Resumed without a terminal, it goes on with the same conversation',
	needs: ['resume', 'headless'],
	triedAnyway: false,
	run: async lab => {
		await (
			await lab.runHeadless('Remember the blue door. [[text:Remembered]]')
		).ended;
		await (
			await lab.runHeadless('Which door? [[text:The blue one]]', { resume: true })
		).ended;
		const request = await lab.seen('Which door?');
		must(request.text.includes('Remember the blue door.'), 'it remembers nothing');
		return WORKS;
	},
};
