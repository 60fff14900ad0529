import * as z from 'zod/mini';
import { configFolder } from '../base/folders.ts';
import { permit } from '../core/asker/permit.ts';
import { UserSettingsFile } from '../core/files/userSettings.ts';
import { SshHost } from '../protocol/executorId.ts';
import type { Operation, OperationContext } from './operation.ts';

const Input = z.object({
	/** What `--on` takes from then on. */
	name: z.string().check(z.trim(), z.minLength(1)),
	host: SshHost,
});

const Output = z.object({
	/** The user's settings file, where the entry is. */
	file: z.string(),
});

/** Names a machine in the user's own settings. It connects to nothing. */
export const nameExecutor: Operation<z.infer<typeof Input>, z.infer<typeof Output>, OperationContext> = {
	name: 'nameExecutor',
	input: Input,
	output: Output,
	async permit(asker, { name }) {
		permit(asker, { is: 'name-machine', name });
	},
	async run(_asker, { name, host }, { env }) {
		const settings = new UserSettingsFile(configFolder(env), env['HOME']);
		await settings.addExecutor(name, { type: 'ssh', host });
		return { file: settings.file };
	},
};
