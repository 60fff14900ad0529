import { join } from 'node:path';
import type { Workspace } from '../../src/core/workspace/workspace.ts';
import { PairReply, PairResult } from '../../src/protocol/deskApi.ts';
import { askServer } from '../support/servedDesk.ts';
import type { TempFolder } from '../support/tempFolder.ts';
import { terminal } from '../support/terminal.ts';

const NANCY = join(import.meta.dirname, '../../dist/nancy.js');

/** The user's data folder of a desk whose XDG_DATA_HOME is in this folder. */
export function dataIn(folder: TempFolder): string {
	return folder.file('data', 'nancy');
}

/** The packaged `nancy serve` in a terminal, as a person starts it. It lets in one browser. */
export async function serveDesk(folder: TempFolder, workspace: Workspace) {
	const env = {
		PATH: process.env['PATH'] ?? '',
		HOME: folder.path,
		XDG_DATA_HOME: folder.file('data'),
		XDG_CONFIG_HOME: folder.file('config'),
	};
	const screen = terminal(process.execPath, [NANCY, 'serve'], { cwd: workspace.folder, env });
	const shown = await screen.waitForText(/#pair=[\w-]{22}[^]*Ctrl-C/);
	const [, port = '', code = ''] = /127\.0\.0\.1:(\d+)\/#pair=([\w-]{22})/.exec(shown) ?? [];
	const origin = `http://127.0.0.1:${port}`;
	const post = (path: string, body: object) =>
		askServer(Number(port), path, { method: 'POST', headers: { origin }, body });
	/** The person says Yes to the browser that asks. */
	const letIn = async () => {
		await screen.waitForText(/Type view, feedback, answer or no/);
		screen.type('answer\r');
	};
	return {
		port: Number(port),
		origin,
		pid: screen.pid,
		/** For one browser. */
		invitation: `${origin}/#pair=${code}`,
		letIn,
		pair: async () => {
			const begun = PairReply.parse((await post('/api/v1/pair', { code, name: 'Bench', scope: 'answer' })).json);
			await letIn();
			const result = PairResult.parse((await post('/api/v1/pair/result', { request: begun.request })).json);
			if (result.is !== 'in') throw new Error(`the browser was not let in: ${result.is}`);
			return result;
		},
		[Symbol.asyncDispose]: () => screen.close(),
	};
}
