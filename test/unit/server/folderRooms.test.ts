import { expect, it } from 'vitest';
import { folderId } from '../../../src/core/live/deskView.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import { TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { FolderRooms } from '../../../src/server/folderRooms.ts';

it('a git that hangs keeps nobody from the traffic and the rules', async () => {
	const [hanging, folder] = [folderId('/hangs'), folderId('/project')];
	const rooms = new FolderRooms(
		id =>
			id === hanging ? new Promise(() => undefined) : Promise.resolve({ ok: false, code: 'here', message: '' }),
		() => Promise.resolve({ ok: false, code: 'no', message: '' }),
		{ agentName: String, withoutPaths: String },
	);
	const delegate = DelegateId.parse('d1');
	for (let looks = 0; looks < 8; looks++) void rooms.changes({ folder: hanging, delegate });
	expect(await rooms.changes({ folder, delegate })).toMatchObject({ code: 'busy' });
	const worker = { task: TaskName.parse('fix'), worker: WorkerName.parse('worker') };
	expect(await rooms.traffic({ folder, ...worker })).toMatchObject({ code: 'here' });
	expect(await rooms.allowed({ folder })).toMatchObject({ code: 'here' });
});
