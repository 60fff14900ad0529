import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import type { Turn } from '../double/conversation.ts';
import type { Reply, ScriptedCall } from '../double/script.ts';
import { orchestrate } from '../support/agentWorkbench.ts';
import { seedWorktree, smallRepository } from '../support/delegateSeeds.ts';
import { openLab } from '../support/lab.ts';
import { questionFrame } from '../support/questionFrame.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { THEMES } from '../support/themes.ts';
import { Recorder } from './recorder.ts';
import { showNancy, widen } from './window.ts';

const file = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'docs', 'images', 'nancy.webp');

const SIZE = { width: 1200, height: 760 };

const TIMER = `export const minutes = 5;

export function left(ms) {
	return Math.floor(ms / 60000);
}
`;

// No program: VS Code would look for a compiler.
const PRESETS = `{
	"green": 3,
	"black": 5,
	"herbal": 8
}
`;

const TITLE = 'Show the minutes left in the page title';

const DIRECTIVE = 'Round up: the title must never show 0.';

await using folder = tempFolder('nf-');
const data = folder.file('data');
const project = smallRepository(folder, { 'README.md': '# Tea timer\n', 'src/timer.js': TIMER });
const inProject = (name: string) => join(project, name);
await seedWorktree(
	new Delegates(new Workspace(project, join(data, 'nancy'))),
	join(data, 'nancy'),
	{ title: 'Add presets for teas' },
	{ 'src/presets.json': PRESETS, 'README.md': '# Tea timer\n\nPresets: green, black, herbal.\n' },
);

const shell = (command: string, description: string): ScriptedCall => ({ kind: 'shell', command, description });
const edit = (old_string: string, new_string: string): ScriptedCall => ({
	kind: 'tool',
	name: 'Edit',
	input: { file_path: inProject('src/timer.js'), old_string, new_string },
});

/** What the model does for each prompt, reply by reply. */
const plans: Readonly<Record<string, readonly Reply[]>> = {
	[TITLE]: [
		{ text: 'I read the timer first.', calls: [{ kind: 'read', file: inProject('src/timer.js') }] },
		{ text: 'Now I look for the places that use it.', calls: [shell('git grep -n minutes', 'Find the places')] },
		{
			text: 'Understood: rounding up.',
			calls: [edit('return Math.floor(ms / 60000);', 'return Math.ceil(ms / 60000);')],
		},
		{ text: 'The page title shows the minutes left, rounded up.' },
	],
	'Clean the build': [
		{ calls: [shell('rm -rf dist', 'Remove the build folder')] },
		{ text: 'The build folder is clean.' },
	],
};

function plan(turns: readonly Turn[]): Reply {
	for (const [prompt, replies] of Object.entries(plans)) {
		const at = turns.findIndex(({ text }) => text.includes(prompt));
		if (at < 0) continue;
		return replies[turns.slice(at).filter(({ speaker }) => speaker === 'model').length] ?? { text: 'Done.' };
	}
	return { text: 'Done.' };
}

await using lab = await openLab({
	workspace: project,
	size: SIZE,
	unscripted: plan,
	settings: {
		'workbench.colorTheme': THEMES.dark,
		'workbench.panel.opensMaximized': 'always',
		// One notification is enough for the film.
		'nancy.notifications.stopped': 'badge',
	},
	claudeSettings: {
		prefersReducedMotion: true,
		permissions: { defaultMode: 'default', allow: ['Bash(nancy:*)', 'Bash(git grep:*)', 'Edit'] },
	},
	env: { XDG_DATA_HOME: data },
});
const { workbench, page, model } = lab;
const film = new Recorder(page);
const log = (words: string) => process.stdout.write(`${words}\n`);

/** The agent waits for the model's reply to these words until what is returned is called. */
const hold = (words: string) => model.hold(({ text, hasTools }) => hasTools && text.includes(words));

async function click(target: Locator): Promise<void> {
	await target.waitFor();
	const box = await target.boundingBox();
	if (!box) throw new Error('There is nothing to click.');
	await film.point(box.x + Math.min(box.width / 2, 60), box.y + box.height / 2);
	await page.mouse.down();
	await page.mouse.up();
}

await showNancy(lab);
await widen(lab, 400);
// Another task is at work before the film begins.
const answerBuild = hold('Clean the build');
await orchestrate(lab, 'Clean the build', 'Remove what earlier builds left.');
await workbench.row('Tasks', /Clean the build.*working/).waitFor();
await page.mouse.move(SIZE.width / 2, SIZE.height / 2);
await film.begin();
log('start');

await film.caption('Start a task: a prompt, and Enter');
await workbench.pane('Tasks').locator('.pane-header').hover();
await click(workbench.pane('Tasks').locator('.pane-header [aria-label^="Orchestrate Task"]'));
await workbench.quickInput.waitFor();
await film.point(SIZE.width / 2, SIZE.height / 2);
await film.type(`${TITLE}.`);
const answerTitle = hold(TITLE);
await page.keyboard.press('Enter');
log('prompt');
await film.caption('Claude Code starts in a terminal, and its row says what it does');
await workbench.row('Tasks', new RegExp(`${TITLE}.*working`)).waitFor();
const answerSearch = hold('places that use it');
answerTitle();
await model.waitForRequest(({ text }) => text.includes('places that use it'));
await film.rest(800);

await film.caption('Correct it while it works');
log('directive');
await workbench.webview().locator('#text').click();
await film.type(DIRECTIVE);
await page.keyboard.press('Control+Enter');
await workbench.mail(/Round up.*queued/).waitFor();
await film.rest(800);
answerSearch();
await workbench.mail(/Round up.*in context/).waitFor();
await film.caption('The receipt: the message is in the context of the agent');
await film.rest(1200);

answerBuild();
log('permission');
await film.caption('Another agent asks: Shift+Alt+N goes there');
await workbench.row('Tasks', /Clean the build.*asks/).waitFor();
await film.rest(800);
await page.keyboard.press('Shift+Alt+N');
const question = await questionFrame(page);
await film.rest(1500);
await question.getByRole('button', { name: 'Allow Once' }).click();
await workbench.row('Tasks', /Clean the build.*idle/).waitFor();
await film.rest(800);

log('review');
await film.caption('Review what a delegate changed, and merge it');
const delegate = workbench.row('Delegates', 'Add presets for teas');
await delegate.hover();
await click(delegate.locator('.action-item a[aria-label^="Review Changes"]'));
// Over the row, its hover would open and cover the changes.
await film.point(SIZE.width * 0.7, SIZE.height / 2);
await page.locator('.multiDiffEntry .modified .view-line', { hasText: 'herbal' }).last().waitFor();
await film.rest(1500);
await click(page.locator('.editor-actions .action-label[aria-label^="Merge"]'));
await workbench.quick.getByText(/into main/).waitFor();
await film.rest(1200);
await page.keyboard.press('Enter');
await workbench.row('Delegates', /Add presets for teas.*merged/).waitFor();
await film.rest(1800);

const made = await film.end();
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, made.film);
log(`docs/images/nancy.webp ${Math.round(made.film.length / 1024)} KB, ${made.seconds} s, ${made.frames} frames`);
