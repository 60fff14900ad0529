import { join } from 'node:path';
import { dataFolder } from '../base/folders.ts';
import { DeskView, folderId } from '../core/live/deskView.ts';
import type { OperationContext } from '../operations/operation.ts';
import type { DeviceId } from '../protocol/deskApi.ts';
import { deskWords } from '../server/deskWords.ts';
import { ServedFolders } from '../server/servedFolders.ts';
import type { ServedFolder } from '../server/servedFolder.ts';
import type { DeskDevice, DeskOperations, DeskOwner, OpenDesk } from '../ui/desk/deskPorts.ts';
import type { Folder } from '../ui/ports.ts';

/** The desk's server in a window: it serves what the views show, from the same models. */
export class WindowDesk implements DeskOperations {
	readonly view = new DeskView(deskWords(dataFolder()));

	constructor(
		private readonly extensionPath: string,
		private readonly contextOf: (folder: Folder) => OperationContext,
	) {}

	async open(folders: Parameters<DeskOperations['open']>[0], owner: DeskOwner): Promise<OpenDesk> {
		const { DeskServer, qrPicture } = await import('../server/index.ts');
		const data = dataFolder();
		const served = new ServedFolders(() => folders.list().map(each => this.serve(each)), folders.onDidChange, data);
		const pages = join(this.extensionPath, 'media', 'desk');
		const server = await DeskServer.open({ served, owner, pages, dataFolder: data });
		return {
			port: server.port,
			address: server.address,
			onDidEnd: server.onDidEnd,
			invite: address => server.invite(address),
			setAddresses: addresses => server.setAddresses(addresses),
			close: () => server.close(),
			picture: qrPicture,
		};
	}

	async devices(): Promise<readonly DeskDevice[]> {
		return (await deviceFile()).read();
	}

	async revoke(id: DeviceId): Promise<void> {
		await (await deviceFile()).revoke(id);
	}

	async revokeAll(): Promise<void> {
		await (await deviceFile()).revokeAll();
	}

	private serve(folder: Folder): ServedFolder {
		return {
			source: {
				id: folderId(folder.path),
				name: folder.name,
				overview: () => folder.overview(),
				messages: address => folder.messages(address),
				delegates: () => folder.delegates(),
				questions: () => [...folder.questions(), ...folder.pastQuestions()],
			},
			context: this.contextOf(folder),
			refresh: () => folder.refresh(),
		};
	}
}

async function deviceFile() {
	const { DeviceFile } = await import('../server/index.ts');
	return new DeviceFile(dataFolder());
}
