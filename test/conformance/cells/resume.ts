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

export const fork: Cell = {
	id: 'fork',
	title: 'Forked, another worker goes on with a copy of the conversation, and the first is as it was',
	needs: ['fork'],
	about: 'fork',
	triedAnyway: false,
	run: async lab => {
		const worker = await lab.start({ prompt: 'Remember the blue door. [[text:Remembered]]' });
		await worker.idle();
		const copy = await lab.start({ fork: worker.address.worker });
		must(copy.address.worker !== worker.address.worker, 'it is the same worker');
		await copy.submit('Paint it red. [[text:It is red]]');
		const painted = await lab.seen('Paint it red.');
		must(painted.text.includes('Remember the blue door.'), 'the copy remembers nothing');
		await copy.idle();
		must((await copy.session()) !== (await worker.session()), 'both have one session');
		await worker.submit('Which door? [[text:The blue one]]');
		const asked = await lab.seen('Which door?');
		must(asked.text.includes('Remember the blue door.'), 'the first remembers nothing');
		must(!asked.text.includes('Paint it red.'), 'the first knows what the copy was told');
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
