import { stat } from 'node:fs/promises';
import { phrase, type Phrase } from '../../base/phrase.ts';
import type { Deployment } from '../../protocol/deployment.ts';
import { PluginSessions } from './pluginSessions.ts';
import { deploy, deploymentState, obstacles, rehearse, type DeploymentState } from './deploy.ts';
import type { Finding, Instruments } from './finding.ts';
import type { DeploymentRecords } from './records.ts';
import type { Runtime } from './runtime.ts';
import { brokenSettings, silencers } from './silencers.ts';
import { statusOf } from './target.ts';
import { undeploy } from './undeploy.ts';

/** Looks at what is deployed for one agent, and whether its sessions report to Nancy. */
export async function hooksFinding(
	records: DeploymentRecords,
	{ isBusy, askGit, env }: Instruments,
	runtime: Runtime,
	{ driver, found }: Instruments['agents'][number],
): Promise<Finding> {
	const { workspace, dataFolder } = records;
	const { displayName } = driver;
	const asked = () => isBusy?.(driver.id) ?? false;
	const record = await records.of(driver.id);
	const place = placeOf(records, record);
	if (!found) {
		if (!record) return note(phrase`${displayName} has no hooks here`);
		return problem(phrase`${place} has hooks for ${displayName}, which is not installed any more`, {
			text: phrase`take them back`,
			run: async () => void (await undeploy(workspace, driver, { dataFolder, isBusy: asked, askGit })),
		});
	}
	const broken = await brokenSettings(workspace, driver);
	if (broken !== undefined) return problem(broken);
	// A deployment for every session stays one.
	const request = { runtime, agentVersion: found.version, scope: 'launch' as const, isBusy: asked, askGit };
	const run = async () => void (await deploy(workspace, driver, request));
	const state = await deploymentState(workspace, driver, request);
	const settings = place || phrase`its settings`;
	if (record && (await statusOf(stat, workspace.paths.spool)) === undefined) {
		const text = phrase`${displayName}: somebody removed .nancy, without which the hooks in ${settings} do nothing`;
		return problem(text, { text: phrase`make it again`, run });
	}
	if (state === 'ok') {
		const inTheWay = [
			...(await obstacles(workspace, driver, request)),
			...(await silencers(workspace, driver, request, env)),
		];
		if (inTheWay.length > 0) return problem(inTheWay.join(' '));
		return { check: 'hooks', level: 'ok', text: phrase`${place || displayName}: ${contentWords(record)}` };
	}
	await rehearse(workspace, driver, request);
	const served = record ? undefined : await new PluginSessions(workspace.own).lastBegun(driver.id);
	if (state === 'missing' && served) {
		const text = phrase`${displayName}: its plugin serves sessions here, the last since ${served.toISOString()}`;
		return { check: 'hooks', level: 'ok', text };
	}
	if (state === 'missing' && !record)
		return note(phrase`${displayName} has no hooks here yet; starting a task or nancy setup deploys them`);
	const what = faultWords(record, state, runtime, settings);
	const text = phrase`${displayName}: ${what}; sessions may report nothing and get no messages`;
	return problem(text, { text: phrase`write them again`, run });
}

function note(text: Phrase): Finding {
	return { check: 'hooks', level: 'note', text };
}

/** @param repair absent if only the user can repair it */
function problem(text: string | Phrase, repair?: Finding['repair']): Finding {
	return { check: 'hooks', level: 'problem', text, ...(repair && { repair }) };
}

function contentWords(record: Deployment | undefined): Phrase {
	const events = record?.events.length ?? 0;
	const skills = record?.skills.length ?? 0;
	return record?.scope === 'launch'
		? phrase`${events} events, ${skills} skills, hook program ${record.hookVersion}, for what Nancy starts`
		: phrase`${events} events, ${skills} skills, hook program ${record?.hookVersion}`;
}

/** What is wrong in a place. */
function faultWords(
	record: Deployment | undefined,
	state: DeploymentState,
	runtime: Runtime,
	place: string | Phrase,
): Phrase {
	if (!record) return phrase`Nancy has no record (an earlier version wrote it) of what it has in ${place}`;
	if (state === 'missing') return phrase`somebody removed the entries of Nancy from ${place}`;
	if (record.hookVersion !== runtime.version) return phrase`version ${record.hookVersion} in ${place}`;
	return phrase`entries or skills of Nancy are not as they were deployed in ${place}`;
}

/** Where a deployment's hooks are. */
function placeOf(records: DeploymentRecords, record: Deployment | undefined): string {
	if (!record) return '';
	const places = [...record.files, ...record.ownFiles].map(({ file }) => file);
	if (record.launchFiles.length > 0) places.push(records.launchFolder(record.driver));
	return [...new Set(places)].join(', ');
}
