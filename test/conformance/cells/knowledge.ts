import { askStatus } from '../../../src/process/askStatus.ts';
import { eventually } from '../../support/eventually.ts';
import { readSkills } from '../../support/skills.ts';
import { must, notPossible, WORKS, type Cell } from '../cell.ts';

export const skills: Cell = {
	id: 'skills',
	title: 'It offers Nancy’s skills to the model',
	needs: ['skills'],
	about: 'skills',
	triedAnyway: false,
	run: async lab => {
		await lab.start({ prompt: 'Which skills? [[text:These]]' });
		const request = await lab.seen('Which skills?');
		const text = `${request.text}\n${JSON.stringify(request.body)}`;
		const missing = readSkills().filter(({ folder }) => !text.includes(folder));
		must(missing.length === 0, `the model was not told of ${missing.map(({ folder }) => folder).join(', ')}`);
		return WORKS;
	},
};

export const status: Cell = {
	id: 'own-status',
	title: 'Asked, the CLI itself says what its sessions are doing',
	needs: ['status'],
	about: 'status',
	triedAnyway: false,
	run: async lab => {
		const worker = await lab.start({ prompt: '[[text:At rest]]' });
		await worker.idle();
		const session = await worker.session();
		await eventually('its own word that it is idle', async () => {
			const all = await askStatus(lab.driver, lab.agent.command, lab.env);
			return all.get(session)?.phase === 'idle';
		});
		return WORKS;
	},
};

export const transcript: Cell = {
	id: 'transcript',
	title: 'Its own record tells the tokens, and proves that a message was read',
	needs: ['hooks', 'steer'],
	triedAnyway: false,
	run: async lab => {
		if (lab.driver.transcript === 'none') return notPossible('It keeps no record that Nancy can read.');
		const worker = await lab.start({ prompt: `${lab.held} [[sh:true]] [[text:Not steered]]` });
		await lab.made('begun');
		await lab.send(worker.address, 'Written down. [[text:Steered]]');
		lab.letGo();
		await lab.seen('Written down.');
		await worker.idle();
		await lab.becomes(worker.address, 'tokens are known', ({ facts }) => (facts?.contextTokens ?? 0) > 0);
		await lab.becomes(
			worker.address,
			'the text is in its record',
			({ facts }) => facts?.deliveredTexts.some(text => text.includes('Written down.')) ?? false,
		);
		return WORKS;
	},
};
