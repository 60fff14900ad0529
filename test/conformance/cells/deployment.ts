import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { cleanUp } from '../../../src/core/deployment/cleanUp.ts';
import { deploy, deploymentState } from '../../../src/core/deployment/deploy.ts';
import type { WorkerAddress } from '../../../src/core/workspace/workspace.ts';
import { drivers } from '../../../src/drivers/index.ts';
import { answerQuestion } from '../../support/answerQuestion.ts';
import { submit } from '../../support/submit.ts';
import { eventually } from '../../support/eventually.ts';
import { installedRuntime } from '../../support/runtime.ts';
import { treeOf } from '../../support/tree.ts';
import { must, partly, WORKS, type Cell } from '../cell.ts';
import { copiesOf } from '../evidence.ts';
import type { ConformanceLab } from '../lab.ts';

/** A session that the user starts in the workspace, past Nancy, once it is found. */
export async function userSession(lab: ConformanceLab, prompt: string): Promise<WorkerAddress> {
	// Some CLIs report a session before its first prompt.
	const known = (await lab.nancy.tasks()).tasks.map(({ name }) => name);
	await promptedByUser(lab, prompt);
	return eventually('a session that the user started is found', async () => {
		const { tasks } = await lab.nancy.tasks();
		const found = tasks.find(({ name, origin }) => origin === 'found' && !known.includes(name));
		const worker = found && (await lab.nancy.workers(found.name)).workers.at(-1);
		return worker && { task: found.name, worker: worker.name };
	});
}

/** The CLI as its user starts it, who trusts its hooks, with a prompt. */
export async function promptedByUser(lab: ConformanceLab, prompt: string): Promise<void> {
	const screen = await lab.interactive(lab.agent.unattended);
	for (const { question, keys } of lab.candidate.trust) {
		await answerQuestion(screen, question, keys);
		await screen.waitForText(lab.agent.ready);
	}
	await submit(screen, prompt);
}

export const foundSession: Cell = {
	id: 'found',
	title: 'A session that the user starts is found, and takes a directive',
	needs: ['hooks', 'steer'],
	triedAnyway: false,
	lab: { scope: 'workspace' },
	run: async lab => {
		const address = await userSession(lab, `${lab.held} [[sh:true]] [[text:Not steered]]`);
		await lab.made('begun');
		const id = await lab.send(address, 'Found you. [[text:Steered]]');
		lab.letGo();
		await lab.seen('Found you.');
		await lab.delivered(address, id);
		return WORKS;
	},
};

export const besideOthers: Cell = {
	id: 'beside',
	title: 'Set up beside every other agent, it gets each message once and by its own hooks',
	needs: ['hooks', 'steer'],
	triedAnyway: false,
	lab: { scope: 'workspace' },
	run: async lab => {
		for (const driver of drivers) {
			const request = { runtime: lab.runtime, agentVersion: driver.oldestVersion, scope: 'workspace' as const };
			if (driver.id !== lab.driver.id) await deploy(lab.nancy, driver, request);
		}
		const address = await userSession(lab, `${lab.held} [[sh:true]] [[text:Not steered]]`);
		await lab.made('begun');
		const id = await lab.send(address, 'For your eyes. [[text:Steered]]');
		lab.letGo();
		const request = await lab.seen('For your eyes.');
		const copies = copiesOf(request, 'For your eyes.');
		must(copies === 1, `the model read it ${copies} times`);
		const { receipt } = await lab.delivered(address, id);
		must(receipt?.driver === lab.driver.id, `the hooks of ${receipt?.driver} delivered it`);
		const { tasks } = await lab.nancy.tasks();
		must(tasks.filter(task => task.origin === 'found').length === 1, 'one session became two tasks');
		return WORKS;
	},
};

export const redeploy: Cell = {
	id: 'redeploy',
	title: 'Set up again, nothing changes; a newer Nancy takes the place of the older',
	needs: [],
	triedAnyway: false,
	lab: { scope: 'workspace' },
	run: async lab => {
		const before = treeOf(lab.workspace.path);
		// The last part of its path: the rest has a quote and a space, which each kind of file writes in another way.
		const older = basename(lab.runtime.folder);
		const naming = () =>
			Object.entries(treeOf(lab.workspace.path)).flatMap(([file, text]) => (text.includes(older) ? [file] : []));
		must(naming().length > 0, `no file names ${older}`);
		const again = await lab.deploy('workspace');
		must(again.changed.length === 0, `it changed ${again.changed.join(', ')}`);
		must(JSON.stringify(treeOf(lab.workspace.path)) === JSON.stringify(before), 'the files differ');
		const newer = await installedRuntime(lab.home, '0.0.1');
		const request = { runtime: newer, agentVersion: lab.version, scope: 'workspace' as const };
		await deploy(lab.nancy, lab.driver, request);
		must((await deploymentState(lab.nancy, lab.driver, request)) === 'ok', 'the newer one does not find itself');
		must(naming().length === 0, `the older one is still in ${naming().join(', ')}`);
		const address = await userSession(lab, `${lab.held} [[sh:true]] [[text:Not steered]]`);
		await lab.made('begun');
		await lab.send(address, 'By the newer one. [[text:Steered]]');
		lab.letGo();
		const request2 = await lab.seen('By the newer one.');
		must(copiesOf(request2, 'By the newer one.') === 1, 'both deliver');
		return WORKS;
	},
};

export const cleanedUp: Cell = {
	id: 'clean-up',
	title: 'Clean-up gives every file back byte for byte, after real use',
	needs: [],
	triedAnyway: false,
	lab: { scope: 'none' },
	run: async lab => {
		for (const [file, text] of Object.entries(lab.candidate.usersFiles)) {
			await mkdir(dirname(lab.workspace.file(file)), { recursive: true });
			await writeFile(lab.workspace.file(file), text);
		}
		const before = treeOf(lab.workspace.path);
		const { changed } = await lab.deploy('workspace');
		must(changed.length > 0, 'nothing was deployed');
		if (lab.driver.headless !== 'none') await (await lab.runHeadless('[[sh:true]] [[text:Used]]')).ended;
		await cleanUp(lab.nancy, undefined, drivers, { dataFolder: lab.runtime.dataFolder });
		const after = treeOf(lab.workspace.path);
		const files = [...new Set([...Object.keys(before), ...Object.keys(after)])];
		const different = files.filter(file => before[file] !== after[file]);
		const { leaves } = lab.candidate;
		const isAgents = (file: string) => leaves !== 'nothing' && leaves.files.test(file);
		const ours = different.filter(file => !isAgents(file));
		must(ours.length === 0, `not as before: ${ours.join(', ')}`);
		const called = different.filter(file => after[file]?.includes('nancy-hook'));
		must(called.length === 0, `hooks are left in ${called.join(', ')}`);
		return leaves === 'nothing' || different.length === 0 ? WORKS : partly(leaves.because);
	},
};
