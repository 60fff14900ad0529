import { must, WORKS, type Cell } from '../cell.ts';

export const wake: Cell = {
	id: 'wake',
	title: 'An idle agent is woken by a message, again and again, without a key typed',
	needs: ['wake'],
	about: 'wake',
	triedAnyway: true,
	lab: { wakes: true },
	run: async lab => {
		const worker = await lab.startIdle();
		for (const words of ['Look at the log.', 'And at the tests.']) {
			const id = await lab.send(worker.address, `${words} [[text:Looked]]`, { kind: 'feedback' });
			await lab.seen(words);
			const { receipt } = await lab.delivered(worker.address, id);
			must(receipt?.rung !== 'keys', 'its receipt says that it was typed');
			await worker.idle();
		}
		const { complaint } = lab.candidate;
		must(!complaint.test(worker.terminal.screen()), 'an error is on the screen');
		return WORKS;
	},
};

export const draft: Cell = {
	id: 'draft',
	title: 'A half-typed prompt survives the wake',
	needs: ['wake'],
	about: 'wake',
	triedAnyway: false,
	lab: { wakes: true },
	run: async lab => {
		const worker = await lab.startIdle();
		worker.terminal.type('half a thought');
		await worker.terminal.waitForText(/half a thought/);
		await lab.send(worker.address, 'While you type. [[text:Looked]]');
		await lab.seen('While you type.');
		await worker.idle();
		must(/half a thought/.test(worker.terminal.screen()), 'the draft is gone');
		must(!lab.requests().some(request => request.text.includes('half a thought')), 'the draft was sent');
		return WORKS;
	},
};

export const wakeOnResume: Cell = {
	id: 'wake-resumed',
	title: 'Resumed without a prompt, it reads what was queued while it did not run',
	needs: ['resume'],
	triedAnyway: false,
	run: async lab => {
		const worker = await lab.startIdle();
		await worker.terminal.close();
		await lab.send(worker.address, 'While you were away. [[text:Read on return]]');
		await lab.start({ resume: true });
		await lab.seen('While you were away.');
		return WORKS;
	},
};
