import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must, WORKS, type Cell } from '../cell.ts';
import { WORKER, type ConformanceLab } from '../lab.ts';

/** It works as if Nancy were not there: every step of a turn with a tool, and nothing about hooks on its screen. */
async function worksUndisturbed(lab: ConformanceLab): Promise<void> {
	const { terminal } = await lab.start({
		prompt: 'Undisturbed? [[sh:echo x > made; echo made-it]] [[text:I am fine]]',
	});
	await lab.model.waitForRequest(request => request.turns.at(-1)?.toolOutput.includes('made-it') ?? false);
	await terminal.waitForText(/^(?!.*\[\[).*I am fine/m);
	must(lab.has('made'), 'its tool did not run');
	const { complaint } = lab.candidate;
	must(!complaint.test(terminal.screen()), `it complains: ${complaint.exec(terminal.screen())?.[0]}`);
}

export const hookMissing: Cell = {
	id: 'hook-missing',
	title: 'Nancy’s programs are gone: it works on, undisturbed',
	needs: [],
	triedAnyway: false,
	run: async lab => {
		await rm(lab.runtime.folder, { recursive: true });
		await worksUndisturbed(lab);
		return WORKS;
	},
};

export const hookSlow: Cell = {
	id: 'hook-slow',
	title: 'A hook hangs: it works on once the hook’s time is over',
	needs: [],
	triedAnyway: false,
	run: async lab => {
		await writeFile(lab.runtime.launcher, '#!/bin/sh\nexec sleep 30\n');
		const { terminal } = await lab.start({ prompt: '[[sh:echo x > made; echo made-it]] [[text:I am fine]]' });
		await lab.model.waitForRequest(request => request.turns.at(-1)?.toolOutput.includes('made-it') ?? false);
		await terminal.waitForText(/^(?!.*\[\[).*I am fine/m);
		return WORKS;
	},
};

export const hookGarbage: Cell = {
	id: 'hook-garbage',
	title: 'A hook fails and prints garbage: it works on',
	needs: [],
	triedAnyway: false,
	run: async lab => {
		await writeFile(lab.runtime.launcher, `#!/bin/sh\necho '}{ garbage'\necho oh no >&2\nexit 3\n`);
		await worksUndisturbed(lab);
		return WORKS;
	},
};

export const programBroken: Cell = {
	id: 'program-broken',
	title: 'The hook program crashes: it works on, and the message stays queued',
	needs: ['hooks'],
	triedAnyway: false,
	run: async lab => {
		await writeFile(join(lab.runtime.folder, 'hook', `${lab.driver.id}.js`), '}{');
		await writeFile(join(lab.runtime.folder, 'node'), '#!/bin/sh\necho no node >&2\nexit 127\n');
		const id = await lab.send(WORKER, 'Never lost.');
		await worksUndisturbed(lab);
		const { messages } = await lab.nancy.mailbox(WORKER).list(['queued']);
		must(
			messages.some(message => message.id === id),
			'the message is no longer queued',
		);
		return WORKS;
	},
};
