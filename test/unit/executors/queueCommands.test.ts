import { expect, it } from 'vitest';
import { parseJsonFile } from '../../../src/core/files/jsonFile.ts';
import { ExecutorId, hostOf, queueOf } from '../../../src/protocol/executorId.ts';
import { wordsFor } from '../../../src/protocol/queueCommands.ts';
import { UserSettings } from '../../../src/protocol/settings.ts';

const whole = { type: 'command', submit: ['qsub', '-N', '{name}'], look: ['/opt/look'], cancel: ['qdel'] };

function parse(executor: object) {
	const text = JSON.stringify({ delegates: { executors: { pbs: executor } } });
	return () => parseJsonFile('settings.json', text, UserSettings);
}

it('a queue is named by three commands, its login host and its limits', () => {
	expect(parse({ ...whole, via: 'ssh:login1', max: 8, maxQueued: 2 })).not.toThrow();
	expect(parse(whole)).not.toThrow();
});

const takes = 'takes a list of 1 to 50 words, the first of which is a program by its name or its absolute path';

it.each([
	['cancel', { cancel: undefined }, takes],
	['submit', { submit: 'qsub -N {name}' }, takes],
	['submit', { submit: [] }, takes],
	['submit', { submit: ['bin/submit'] }, takes],
	['submit', { submit: ['~/bin/submit'] }, takes],
	['submit', { submit: ['qsub', ...Array.from({ length: 50 }, String)] }, takes],
	['cancel.1', { cancel: ['qdel', ''] }, 'is an empty word, or no line'],
	['cancel.1', { cancel: ['qdel', 'a\nb'] }, 'is an empty word, or no line'],
	['look', { look: ['look', '{name}'] }, 'lists all jobs at once: take {name} out'],
])('a wrong command says where it is, and what it takes (%s: %j)', (place, wrong, words) => {
	const error = `settings.json cannot be read: at delegates.executors.pbs.${place}: ${words}. Repair it`;
	expect(parse({ ...whole, ...wrong })).toThrow(error);
});

it.each([
	[
		['qsub', '-N', '{name}'],
		['qsub', '-N', 'job'],
	],
	[
		['q', 'a={name}&b={name}'],
		['q', 'a=job&b=job'],
	],
	[
		['q', 'x'],
		['q', 'x', 'job'],
	],
])('the name of a job is put into %j', (words, filled) => {
	expect(wordsFor(words, 'job')).toEqual(filled);
});

it.each([
	['ssh:gpu1', 'gpu1', undefined],
	['slurm:hpc@me@login1', 'me@login1', { type: 'slurm', name: 'hpc' }],
	['command:pbs@login1', 'login1', { type: 'command', name: 'pbs' }],
	['command:pbs', undefined, { type: 'command', name: 'pbs' }],
])('the id %s says which host and which queue', (id, host, queue) => {
	expect(hostOf(ExecutorId.parse(id))).toBe(host);
	expect(queueOf(ExecutorId.parse(id))).toEqual(queue);
});
