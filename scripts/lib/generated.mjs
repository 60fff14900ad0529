// What the drivers say of themselves stands in the manifest and in documents too. It is written from the drivers, never by hand.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatVersion } from '../../src/base/version.ts';
import { CAPABILITIES } from '../../src/core/driver/abilities.ts';
import { drivers } from '../../src/drivers/index.ts';
import { root } from './bootstrap.mjs';

/** @typedef {import('../../src/core/driver/driver.ts').Driver} Driver */

/** Each file, and how its text follows from the drivers. The manifest comes first: a document repeats its settings. */
const FILES = {
	'package.json': manifest,
	'package.nls.json': words,
	'README.md': text => withBlock(text, 'agents', agentsTable()),
	'docs/deployment.md': text => withBlock(withBlock(text, 'places', placesTable()), 'floors', floorsTable()),
	'docs/settings.md': async text => withBlock(text, 'settings', await settingsTable()),
};

/**
 * Compares the generated parts with what is there, and writes them where asked to.
 * @param {{ fix: boolean }} options
 * @returns {Promise<{ looked: number, stale: string[] }>} the files that differ, or differed
 */
export async function generated({ fix }) {
	const stale = [];
	for (const [name, generate] of Object.entries(FILES)) {
		const file = join(root, name);
		const before = await readFile(file, 'utf8');
		const after = await generate(before);
		if (after === before) continue;
		stale.push(name);
		if (fix) await writeFile(file, after);
	}
	return { looked: Object.keys(FILES).length, stale };
}

function manifest(text) {
	const value = JSON.parse(text);
	const { capabilities, contributes } = value;
	const isOther = key => !key.startsWith('nancy.agents.');
	const { untrustedWorkspaces } = capabilities;
	const [first, ...others] = untrustedWorkspaces.restrictedConfigurations.filter(isOther);
	const settings = agentProperties();
	untrustedWorkspaces.restrictedConfigurations = [first, ...Object.keys(settings), ...others];
	contributes.configuration.find(({ id }) => id === 'nancy.agents').properties = settings;
	return `${JSON.stringify(value, undefined, '\t')}\n`;
}

function agentProperties() {
	const properties = {};
	const add = (key, facts) => {
		const order = Object.keys(properties).length + 1;
		properties[`nancy.${key}`] = { order, ...facts, markdownDescription: `%setting.${key}%` };
	};
	for (const driver of drivers) {
		const key = `agents.${driver.id}`;
		add(`${key}.path`, { type: 'string', scope: 'machine', default: '' });
		add(`${key}.arguments`, { type: 'array', items: { type: 'string' }, scope: 'machine', default: [] });
		add(`${key}.model`, { type: 'string', scope: 'machine-overridable', default: '' });
		if (isAnswersChoice(driver)) add(`${key}.answers`, { type: 'boolean', scope: 'machine', default: false });
		const modes = widths(driver);
		if (modes.length === 0) continue;
		add(`${key}.permissionsFromAgents`, {
			type: 'string',
			scope: 'machine',
			enum: modes.map(({ id }) => id),
			enumDescriptions: modes.map(({ id }) => `%setting.${key}.permissionsFromAgents.${id}%`),
			default: modes[0].id,
		});
	}
	return properties;
}

/** Whether the user chooses that Nancy answers. @param {Driver} driver */
function isAnswersChoice({ answersByChoice }) {
	return answersByChoice !== 'none' && !answersByChoice.isAlways;
}

/** One mode of each width: as a limit, modes of one width mean the same. No agent may start what nobody has tried. */
function widths({ headless, knownFrom }) {
	if (headless === 'none' || knownFrom !== 'runs') return [];
	return headless.permissionModes.filter(
		(mode, index, all) => all.findIndex(other => other.width === mode.width) === index,
	);
}

function words(text) {
	const isOwn = key => key.startsWith('setting.agents.');
	const entries = Object.entries(JSON.parse(text)).filter(([key]) => !isOwn(key));
	const after = entries.findLastIndex(([key]) => key.startsWith('setting.hooks')) + 1;
	const all = [...entries.slice(0, after), ...drivers.flatMap(wordsOf), ...entries.slice(after)];
	return `${JSON.stringify(Object.fromEntries(all), undefined, '\t')}\n`;
}

/** @param {Driver} driver */
function wordsOf(driver) {
	const { id, displayName: name, command } = driver;
	const key = `setting.agents.${id}`;
	const own = 'Only your user settings count: a workspace cannot choose what runs.';
	return [
		[`${key}.path`, `Where the ${name} program is. When empty, Nancy looks for \`${command}\` on the PATH.`],
		[`${key}.arguments`, `Arguments for ${name}, before those that Nancy adds. ${own}`],
		[`${key}.model`, `The model for ${name} in VS Code, as the CLI itself takes it. When empty, ${name} chooses.`],
		...(isAnswersChoice(driver)
			? [
					[
						`${key}.answers`,
						`Whether Nancy shows what ${name} asks where Nancy has started it, and carries your answer. ${driver.answersByChoice.explanation} ${own}`,
					],
				]
			: []),
		...(widths(driver).length === 0
			? []
			: [
					[
						`${key}.permissionsFromAgents`,
						`The widest permission mode that an agent may use when it starts ${name} with the \`nancy\` command. Agents of other CLIs may start it only where you have set this yourself. It does not limit you. ${own}`,
					],
				]),
		...widths(driver).map(mode => [`${key}.permissionsFromAgents.${mode.id}`, mode.detail]),
	];
}

const COMMAND = 'Install it with: ';

function agentsTable() {
	return table(
		['agent', 'program', 'oldest version', 'install'],
		drivers.map(({ displayName, knownFrom, command, oldestVersion, installHint }) => [
			knownFrom === 'runs' ? displayName : `${displayName} (not tried)`,
			`\`${command}\``,
			formatVersion(oldestVersion),
			installHint.startsWith(COMMAND) ? `\`${installHint.slice(COMMAND.length)}\`` : installHint,
		]),
	);
}

function placesTable() {
	return table(
		['agent', 'written when a task starts', 'also written by Set Up', 'skills'],
		drivers.map(driver => {
			const launch = placesOf(driver, 'launch');
			const more = placesOf(driver, 'workspace').filter(place => !launch.includes(place));
			const skills = driver.skillsFolder === undefined ? [] : [driver.skillsFolder];
			return [driver.displayName, ...[launch, more, skills].map(files)];
		}),
	);
}

function files(names) {
	return names.length === 0 ? '–' : names.map(name => `\`${name}\``).join(', ');
}

/** Where a driver has something written, relative to the workspace folder. */
function placesOf(driver, scope) {
	const plan = driver.deployment({
		version: driver.oldestVersion,
		launcher: '/n/nancy-hook',
		workspaceFolder: '/w',
		scope,
	});
	const launchFolder = plan.launchFiles.length > 0 ? [`launch/${driver.id}`] : [];
	return [...[...plan.edits, ...plan.files].map(({ file }) => file), ...launchFolder];
}

function floorsTable() {
	return table(
		['ability', ...drivers.map(({ displayName }) => displayName)],
		CAPABILITIES.map(ability => [
			`\`${ability}\``,
			...drivers.map(({ floors }) => (floors[ability] === 'none' ? '–' : formatVersion(floors[ability]))),
		]),
	);
}

async function settingsTable() {
	const read = async name => JSON.parse(await readFile(join(root, name), 'utf8'));
	const { contributes } = await read('package.json');
	const text = await read('package.nls.json');
	return table(
		['setting', 'default', 'meaning'],
		contributes.configuration.flatMap(({ properties }) =>
			Object.entries(properties).map(([key, { default: value, markdownDescription }]) => [
				`\`${key}\``,
				`\`${JSON.stringify(value)}\``,
				text[markdownDescription.replaceAll('%', '')].replaceAll('\n', ' '),
			]),
		),
	);
}

/** A Markdown table as oxfmt writes it. */
function table(head, rows) {
	const line = cells => `| ${cells.join(' | ')} |`;
	return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A document with the text between its two marks replaced. Throws where the marks are missing. */
function withBlock(text, name, content) {
	const marks = [`<!-- generated from the drivers: ${name} -->`, `<!-- end of ${name} -->`];
	const [before, rest] = text.split(marks[0]);
	const after = rest?.split(marks[1])[1];
	if (after === undefined) throw new Error(`the marks of the generated part "${name}" are missing`);
	return `${before}${marks[0]}\n\n${content}\n\n${marks[1]}${after}`;
}
