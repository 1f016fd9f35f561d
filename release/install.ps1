# Installs svc and svc-sim of a release on Windows, without administrator rights:
#
#   powershell -ExecutionPolicy Bypass -File install.ps1 -From URL-OR-DIRECTORY [-To DIRECTORY] [-Signed]
#
# -From: the directory or https URL with the archives and SHA256SUMS (default: the directory of this script).
# -To: the directory for the programs (default: %LOCALAPPDATA%\svc). Nothing is installed before the archive matches
# SHA256SUMS, and SHA256SUMS is signed with a key that this script carries. The ssh-keygen of Windows checks the
# signature; -Signed: stop if this machine has none.
param([string]$From = $PSScriptRoot, [string]$To = "$env:LOCALAPPDATA\svc", [switch]$Signed)
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

# The keys that sign releases, as release/signing-keys has them, separated by blanks.
$keys = ''

function Fail($text) { [Console]::Error.WriteLine("install.ps1: $text; nothing was installed"); exit 1 }

$scratch = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid().ToString())
New-Item -ItemType Directory $scratch | Out-Null

function Get-ReleaseFile($name, $why) {
  $target = Join-Path $scratch $name
  try {
    if ($From -match '^https://' -or $From -match '^http://(127\.0\.0\.1|localhost)(:\d+)?(/|$)') {
      Invoke-WebRequest -UseBasicParsing -Uri "$From/$name" -OutFile $target
    } elseif ($From -match '^\w+://') { Fail "$From is not https"
    } else { Copy-Item (Join-Path $From $name) $target }
  } catch { Fail "cannot get $From/$name$why" }
  $target
}

function Test-Signature($sums) {
  if ($keys -eq '') { Skip-Signature 'this script carries no key'; return }
  $signature = Get-ReleaseFile 'SHA256SUMS.sig' ': the release must have a signature'
  $text = (Get-Content $signature | Where-Object { $_ -notmatch '^-----' }) -join ''
  try { $blob = [Convert]::FromBase64String($text) } catch { Fail 'SHA256SUMS.sig is not a signature of ssh-keygen' }
  if ($blob.Length -lt 65) { Fail 'SHA256SUMS.sig is not a signature of ssh-keygen' }
  # The public key begins at byte 14 and has 51 bytes.
  $signer = [Convert]::ToBase64String($blob[14..64])
  if (($keys -split ' ') -cnotcontains $signer) { Fail "SHA256SUMS is signed with another key, $signer" }
  if (-not (Get-Command ssh-keygen -ErrorAction SilentlyContinue)) { Skip-Signature 'this machine has no ssh-keygen'; return }
  $signers = Join-Path $scratch 'signers'
  [IO.File]::WriteAllText($signers, "svc-release namespaces=`"svc-release`" ssh-ed25519 $signer`n")
  $start = New-Object Diagnostics.ProcessStartInfo (Get-Command ssh-keygen).Source
  $start.Arguments = "-Y verify -f `"$signers`" -I svc-release -n svc-release -s `"$signature`""
  $start.UseShellExecute = $false
  $start.RedirectStandardInput = $true
  $start.RedirectStandardOutput = $true
  $start.RedirectStandardError = $true
  $process = [Diagnostics.Process]::Start($start)
  $bytes = [IO.File]::ReadAllBytes($sums)
  $process.StandardInput.BaseStream.Write($bytes, 0, $bytes.Length)
  $process.StandardInput.Close()
  $process.WaitForExit()
  if ($process.ExitCode -ne 0) { Fail 'SHA256SUMS does not match its signature' }
}

function Skip-Signature($why) {
  if ($Signed) { Fail "the signature cannot be checked: $why" }
  [Console]::Error.WriteLine("install.ps1: warning: the signature was not checked: $why")
}

try {
  $sums = Get-ReleaseFile 'SHA256SUMS' ''
  Test-Signature $sums
  $lines = @(Get-Content $sums | Where-Object { $_ -match '^[0-9a-f]{64}  svc-[0-9][^/ ]*-windows-x64\.zip$' })
  if ($lines.Count -ne 1) { Fail "SHA256SUMS of $From has $($lines.Count) archives for windows-x64" }
  $sum, $name = $lines[0] -split '  ', 2
  $archive = Get-ReleaseFile $name ''
  if ((Get-FileHash -Algorithm SHA256 $archive).Hash.ToLower() -ne $sum) { Fail "$name does not match SHA256SUMS" }
  Expand-Archive $archive $scratch
  $unpacked = Join-Path $scratch ($name -replace '\.zip$', '')
  & (Join-Path $unpacked 'svc.exe') --version | Out-Null
  if ($LASTEXITCODE -ne 0) { Fail 'svc does not run on this machine' }
  New-Item -ItemType Directory -Force $To | Out-Null
  Copy-Item -Recurse -Force (Join-Path $unpacked '*') $To
  & (Join-Path $To 'svc.exe') --version
  Write-Output "The guide is in $(Join-Path $To 'docs'). Begin with: svc demo"
  if (($env:PATH -split ';') -notcontains $To) { Write-Output "Add $To to PATH." }
} finally { Remove-Item -Recurse -Force $scratch }
