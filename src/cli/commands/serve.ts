import { dirname, join } from 'node:path';
import { existsSync, realpathSync } from 'node:fs';
import * as z from 'zod/mini';
import { errorText, NancyError } from '../../base/errors.ts';
import { httpsOrigin } from '../../base/httpsOrigin.ts';
import { permitWorkIn } from '../../core/asker/ownPlace.ts';
import { permit } from '../../core/asker/permit.ts';
import { sourcesIn } from '../../core/deployment/runtime.ts';
import { findWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import type { QuestionId } from '../../protocol/question.ts';
import { command, type Context } from '../command.ts';
import { ExitCode } from '../failure.ts';
import { withCancel } from '../withCancel.ts';
import { ago } from '../words.ts';

const Input = z.object({ at: z.optional(z.string()) });

export const serve = command(
	{
		name: 'serve',
		summary: 'open the desk for a browser or a phone',
		details: [
			'Shows an address for a browser of this machine: what agents ask, what they do, and a box to write to them. Each browser is let in ' +
				'here, and nothing is reached from outside of this machine.',
			'For a phone, let a tunnel of your own lead to the port, and name its address with --at: then the code for the camera is shown too.',
			'It ends with Ctrl-C. For people only.',
		],
		positionals: [],
		options: {
			at: {
				value: 'URL',
				help: 'an https address at which your tunnel makes this desk known',
				expects: 'use an https address without a path, such as https://desk.example.net',
			},
		},
		examples: [
			['nancy serve', 'a page on this machine'],
			['nancy serve --at https://me.example.net', 'also for a phone, by a tunnel of your own'],
		],
	},
	Input,
	async ({ at }, context) => {
		permit(context.asker, { is: 'serve-desk' });
		const address = at === undefined ? undefined : tunnel(at);
		if (context.stdin.isTTY !== true)
			throw new NancyError('not-trusted', 'nancy serve is for a person in a terminal, and this is none');
		if (context.wantsJson) throw new NancyError('bad-usage', 'nancy serve is for people, and prints no JSON');
		const workspace = findWorkspace(context);
		permitWorkIn(context.asker, workspace.folder, context.env);
		const where = programContext(workspace, context);
		const [
			{ DeskServer, ServeTerminal },
			{ ServedFolders },
			{ programFolder },
			{ QuestionTeller },
			{ tellProgram },
		] = await Promise.all([
			import('../../server/index.ts'),
			import('../../server/servedFolders.ts'),
			import('../../server/programFolder.ts'),
			import('../../process/questionTeller.ts'),
			import('../../process/tellProgram.ts'),
		]);
		const folder = await programFolder(where);
		const asks = { questions: () => folder.source.questions(), onDidChange: folder.onDidChange };
		const tell = async (id: QuestionId) => {
			const { notify = '' } = await where.readSettings(workspace.folder);
			return tellProgram(notify, workspace, id);
		};
		const teller = new QuestionTeller(asks, tell, error => context.note(errorText(error)));
		try {
			const served = new ServedFolders(() => [folder], folder.onDidChange, where.dataFolder);
			const terminal = new ServeTerminal({ ...context, ago }, address);
			const server = await DeskServer.open({
				served,
				owner: terminal,
				pages: pagesOf(context),
				dataFolder: where.dataFolder,
				addresses: address ? [address] : [],
			});
			try {
				await withCancel(signal => terminal.run(server, workspace.folder, signal));
			} finally {
				await server.close();
			}
		} finally {
			teller.dispose();
			await folder.close();
		}
		return ExitCode.ok;
	},
);

function tunnel(text: string): URL {
	const url = httpsOrigin(text);
	if (url) return url;
	throw new NancyError('bad-usage', `--at takes an https address without a path, not "${text}"`);
}

/** Beside this program: of an installed runtime, or of a package. */
function pagesOf({ program }: Context): string {
	const folder = dirname(realpathSync(program));
	const isRuntime = existsSync(join(folder, 'nancy-hook'));
	return isRuntime ? sourcesIn(folder, 'runtime').pages : sourcesIn(dirname(folder), 'package').pages;
}
