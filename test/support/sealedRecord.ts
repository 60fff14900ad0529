import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OwnFolder } from '../../src/core/files/ownFolder.ts';
import { SealedDeployments } from '../../src/protocol/deployment.ts';

/** Changes the record of what is deployed into a workspace, as a defect or another version might. */
export function changeSealedRecord(
	workspaceFolder: string,
	dataFolder: string,
	change: (sealed: SealedDeployments) => unknown,
): void {
	const { folder } = new OwnFolder(dataFolder, workspaceFolder);
	const file = join(folder, 'deployment/record.json');
	writeFileSync(file, JSON.stringify(change(SealedDeployments.parse(JSON.parse(readFileSync(file, 'utf8'))))));
}

/** Writes such a record where there is none. */
export function writeSealedRecord(
	workspaceFolder: string,
	dataFolder: string,
	{ files = [], deployments }: Pick<SealedDeployments, 'deployments'> & Partial<SealedDeployments>,
): void {
	const { folder } = new OwnFolder(dataFolder, workspaceFolder);
	mkdirSync(join(folder, 'deployment'), { recursive: true, mode: 0o700 });
	const sealed = SealedDeployments.parse({ version: 1, folder: workspaceFolder, files, deployments });
	writeFileSync(join(folder, 'deployment/record.json'), JSON.stringify(sealed));
}
