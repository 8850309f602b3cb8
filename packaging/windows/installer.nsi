; Per-user installer: no administrator, nothing outside the user's own profile and registry.
; makensis -DVERSION=0.1.0 -DBUNDLE=dist\chunk-inspector -DOUTPUT=dist\chunk-inspector-0.1.0-windows-setup.exe -DICON=packaging\icons\chunk-inspector.ico installer.nsi

Unicode true
RequestExecutionLevel user
SetCompressor /SOLID lzma
SetCompressorDictSize 64

!include "MUI2.nsh"
!include "FileFunc.nsh"

!define NAME "Chunk Inspector"
!define PROGRAM "chunk-inspector-gui.exe"
!define PROGID "ChunkInspector.Markdown"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\ChunkInspector"

Name "${NAME}"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\Chunk Inspector"
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "${NAME}"
VIAddVersionKey "FileDescription" "${NAME} setup"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "MIT licence"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_ABORTWARNING
!define MUI_FINISHPAGE_RUN "$INSTDIR\${PROGRAM}"
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

!macro OfferFor SUFFIX
  ; offered under "Open with"; the default stays what it is
  WriteRegStr HKCU "Software\Classes\${SUFFIX}\OpenWithProgids" "${PROGID}" ""
!macroend

!macro WithdrawFor SUFFIX
  DeleteRegValue HKCU "Software\Classes\${SUFFIX}\OpenWithProgids" "${PROGID}"
  DeleteRegKey /ifempty HKCU "Software\Classes\${SUFFIX}\OpenWithProgids"
  DeleteRegKey /ifempty HKCU "Software\Classes\${SUFFIX}"
!macroend

!macro RemoveFiles
  ; by name, never the whole folder: it may be one that the user has other things in
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\chunk-inspector.exe"
  Delete "$INSTDIR\${PROGRAM}"
!macroend

Section "Chunk Inspector" Main
  SectionIn RO
  !insertmacro RemoveFiles
  SetOutPath "$INSTDIR"
  File /r "${BUNDLE}\*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\${PROGRAM}"

  WriteRegStr HKCU "Software\Classes\${PROGID}" "" "Markdown document"
  WriteRegStr HKCU "Software\Classes\${PROGID}\DefaultIcon" "" "$INSTDIR\${PROGRAM},0"
  WriteRegStr HKCU "Software\Classes\${PROGID}\shell\open\command" "" '"$INSTDIR\${PROGRAM}" "%1"'
  !insertmacro OfferFor ".md"
  !insertmacro OfferFor ".markdown"
  !insertmacro OfferFor ".mdown"
  !insertmacro OfferFor ".mkd"
  !insertmacro OfferFor ".mdx"
  !insertmacro OfferFor ".qmd"

  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\${PROGRAM},0"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  IntFmt $0 "0x%08X" $0
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" "$0"
SectionEnd

Section /o "In the menu of folders" Folders
  WriteRegStr HKCU "Software\Classes\Directory\shell\ChunkInspector" "" "Open in Chunk Inspector"
  WriteRegStr HKCU "Software\Classes\Directory\shell\ChunkInspector" "Icon" "$INSTDIR\${PROGRAM},0"
  WriteRegStr HKCU "Software\Classes\Directory\shell\ChunkInspector\command" "" '"$INSTDIR\${PROGRAM}" "%1"'
SectionEnd

Section "Uninstall"
  !insertmacro RemoveFiles
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\${NAME}.lnk"
  DeleteRegKey HKCU "Software\Classes\${PROGID}"
  DeleteRegKey HKCU "Software\Classes\Directory\shell\ChunkInspector"
  !insertmacro WithdrawFor ".md"
  !insertmacro WithdrawFor ".markdown"
  !insertmacro WithdrawFor ".mdown"
  !insertmacro WithdrawFor ".mkd"
  !insertmacro WithdrawFor ".mdx"
  !insertmacro WithdrawFor ".qmd"
  DeleteRegKey HKCU "${UNINSTALL}"
SectionEnd
