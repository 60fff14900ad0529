import { describe, expect, it } from 'vitest';
import { placeAndLimits, type DelegateChoice } from '../../../../src/ui/delegates/delegateChoice.ts';
import { canBeChosen, choiceOfRest, misplaced, modelsIn, runsOf } from '../../../../src/ui/start/startChoice.ts';
import { oneByOne } from '../../../../src/base/oneByOne.ts';
import type { DelegateRequest } from '../../../../src/core/delegates/queueDelegate.ts';
import type { AgentChoice } from '../../../../src/ui/ports.ts';
import { DriverId } from '../../../../src/protocol/names.ts';

const agent = (id: string): AgentChoice => ({
	id: DriverId.parse(id),
	displayName: id,
	found: undefined,
	problem: undefined,
	installCommand: '',
	isUntried: false,
	lacks: id === 'egret' ? ['worktree'] : [],
	limits: [],
	model: id === 'ibis' ? 'curved' : undefined,
	permissionModes: [],
	launchModes: [],
	takesImages: false,
});
const AGENTS = ['heron', 'egret', 'ibis', 'acp-mine'].map(agent);
const USUAL: DelegateChoice = {
	agents: ['heron'],
	place: 'folder',
	permissions: {},
	models: '',
	within: '',
	wallMinutes: 30,
	idleMinutes: 10,
};
const runs = (choice: Partial<DelegateChoice>) =>
	runsOf({ ...USUAL, ...choice }, AGENTS).map(run => [run.agent.id, run.model]);
const request = (id: string, model?: string): DelegateRequest => ({
	prompt: 'Do it.',
	agent: DriverId.parse(id),
	model,
	permissions: 'default',
	folder: '/project',
	group: 'g',
});

describe('a choice of how to delegate', () => {
	it('is one delegate, for each of several models of an agent one, or one for each of several agents', () => {
		expect(runs({})).toEqual([['heron', undefined]]);
		expect(runs({ models: 'large' })).toEqual([['heron', 'large']]);
		expect(runs({ models: 'large, small' })).toEqual([
			['heron', 'large'],
			['heron', 'small'],
		]);
		expect(runs({ agents: ['heron', 'ibis'], models: 'large, small' })).toEqual([
			['heron', undefined],
			['ibis', 'curved'],
		]);
		expect(runs({ agents: ['ibis'] })).toEqual([['ibis', 'curved']]);
		expect(runs({ agents: ['ibis'], models: 'straight' })).toEqual([['ibis', 'straight']]);
	});

	it('has no model for an agent that only a setting names, though some are typed', () => {
		expect(runs({ agents: ['acp-mine'], models: 'large, small' })).toEqual([['acp-mine', undefined]]);
	});

	it('names models with commas between them, each once', () => {
		expect(modelsIn(' a ,b,,a , c/d:e ')).toEqual(['a', 'b', 'c/d:e']);
		expect(modelsIn(' , ')).toEqual([]);
	});

	it('says where below the workspace and how long', () => {
		expect(placeAndLimits(USUAL, '/project')).toEqual({
			folder: '/project',
			worktree: undefined,
			limits: { wallSeconds: 1800, idleSeconds: 600 },
		});
		const other = {
			...USUAL,
			place: 'worktreeWithChanges',
			within: 'packages/a',
			wallMinutes: 90,
			idleMinutes: 0.5,
		};
		expect(placeAndLimits({ ...other, place: 'worktreeWithChanges' }, '/project')).toEqual({
			folder: '/project/packages/a',
			worktree: { withChanges: true },
			limits: { wallSeconds: 5400, idleSeconds: 30 },
		});
	});

	it('is for another machine only with a worktree, also where a preset has chosen the folder since', () => {
		const machine = (choice: Partial<DelegateChoice>) =>
			placeAndLimits({ ...USUAL, on: 'ssh:gpu1', ...choice }, '/project').on;
		expect(machine({ place: 'worktree' })).toBe('ssh:gpu1');
		expect(machine({ place: 'worktreeWithChanges' })).toBe('ssh:gpu1');
		expect(machine({ place: 'folder' })).toBeUndefined();
		expect(machine({ place: 'worktree', on: undefined })).toBeUndefined();
	});

	it('names those who cannot work anywhere but in the workspace’s own folder', () => {
		const names = (choice: Partial<DelegateChoice>) =>
			misplaced({ ...USUAL, agents: ['heron', 'egret'], ...choice }, AGENTS, choice.within).map(({ id }) => id);
		expect(names({})).toEqual([]);
		expect(names({ within: '.' })).toEqual([]);
		expect(names({ within: 'packages/a' })).toEqual(['egret']);
		expect(names({ place: 'worktree' })).toEqual(['egret']);
		expect(names({ place: 'worktreeWithChanges', agents: ['heron'] })).toEqual([]);
	});

	it('is left for those alone that could not be started', async () => {
		const all = [request('heron'), request('egret'), request('ibis')];
		const tried: string[] = [];
		const { done, failures } = await oneByOne(all, async request => {
			tried.push(request.agent);
			if (request.agent === 'egret') throw new Error('no egret');
			return Promise.resolve(request);
		});
		expect(tried).toEqual(['heron', 'egret', 'ibis']);
		expect(done.map(each => each.agent)).toEqual(['heron', 'ibis']);
		expect(failures.map(({ error }) => String(error))).toEqual(['Error: no egret']);
		const unstarted = failures.map(({ item }) => item);
		const choice = { ...USUAL, agents: ['heron', 'egret', 'ibis'], within: 'a' };
		expect(choiceOfRest(choice, unstarted)).toEqual({ ...choice, agents: ['egret'], models: '' });
		const models = { ...USUAL, models: 'a, b, c' };
		const rest = choiceOfRest(models, [request('heron', 'b'), request('heron', 'c')]);
		expect(runs(rest)).toEqual([
			['heron', 'b'],
			['heron', 'c'],
		]);
	});

	it.each([
		['two agents', ['heron', 'ibis'], ''],
		['two agents, with models that are typed for none of them', ['heron', 'ibis'], 'opus, curved'],
		['an agent', ['ibis'], ''],
		['an agent of two, with models that are typed for neither', ['ibis'], 'opus'],
	])('leaves %s with the models of their settings', (_, ids, models) => {
		const unstarted = ids.map(id => request(id, id === 'ibis' ? 'curved' : 'opus'));
		const rest = choiceOfRest({ ...USUAL, agents: ['heron', 'ibis'], models }, unstarted);
		expect(rest.agents).toEqual(ids);
		expect(rest.models).toBe('');
	});
});

it('lets an agent be chosen that is found or did not answer in time, and none that would have to be installed', () => {
	const is = (more: Partial<AgentChoice>) => canBeChosen({ ...agent('heron'), ...more });
	expect(is({ found: { executable: '/bin/heron', version: '1.0.0' } })).toBe(true);
	expect(is({ obstacle: 'unanswered' })).toBe(true);
	for (const obstacle of ['missing', 'too-old', 'broken'] as const) expect(is({ obstacle })).toBe(false);
});
