/* A PKCS#11 module that forwards to the one in $FAULTY_MODULE, does one thing wrong, named by $FAULT,
 * and writes the name of each call that opens or closes something to $FAULTY_LOG. */

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "pkcs11.h"

static CK_FUNCTION_LIST real;
static CK_FUNCTION_LIST list;
static int refused = 0;

static int fault(const char *name) {
  const char *wanted = getenv("FAULT");
  return wanted != NULL && strcmp(wanted, name) == 0;
}

static void note(const char *call) {
  const char *path = getenv("FAULTY_LOG");
  FILE *file = path == NULL ? NULL : fopen(path, "a");
  if (file == NULL) return;
  fprintf(file, "%s\n", call);
  fclose(file);
}

static CK_RV initialize(CK_VOID_PTR arguments) {
  note("C_Initialize");
  return fault("initialize") ? CKR_GENERAL_ERROR : real.C_Initialize(arguments);
}

static CK_RV finalize(CK_VOID_PTR reserved) {
  note("C_Finalize");
  return real.C_Finalize(reserved);
}

static CK_RV getSlotList(CK_BBOOL present, CK_SLOT_ID_PTR slots, CK_ULONG_PTR count) {
  if (!fault("no-slots")) return real.C_GetSlotList(present, slots, count);
  *count = 0;
  return CKR_OK;
}

static CK_RV getSlotInfo(CK_SLOT_ID slot, CK_SLOT_INFO_PTR info) {
  CK_RV rv = real.C_GetSlotInfo(slot, info);
  if (fault("no-token")) info->flags &= ~(CK_FLAGS)CKF_TOKEN_PRESENT;
  return rv;
}

static CK_RV getTokenInfo(CK_SLOT_ID slot, CK_TOKEN_INFO_PTR info) {
  CK_RV rv = real.C_GetTokenInfo(slot, info);
  if (fault("locked-flag")) info->flags |= CKF_USER_PIN_LOCKED;
  if (fault("final-try") && refused) info->flags |= CKF_USER_PIN_FINAL_TRY;
  if (fault("locks") && refused) info->flags |= CKF_USER_PIN_LOCKED;
  if (fault("hostile-label")) memcpy(info->label, "\033[31mRED\033[0m", 12);
  return rv;
}

static CK_RV openSession(CK_SLOT_ID slot, CK_FLAGS flags, CK_VOID_PTR application, CK_NOTIFY notify,
                         CK_SESSION_HANDLE_PTR session) {
  note("C_OpenSession");
  return real.C_OpenSession(slot, flags, application, notify, session);
}

static CK_RV closeSession(CK_SESSION_HANDLE session) {
  note("C_CloseSession");
  return real.C_CloseSession(session);
}

static CK_RV login(CK_SESSION_HANDLE session, CK_USER_TYPE user, CK_UTF8CHAR_PTR pin, CK_ULONG length) {
  note("C_Login");
  if (fault("dumpable") && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0) return CKR_GENERAL_ERROR;
  if (fault("pin-locked")) return CKR_PIN_LOCKED;
  CK_RV rv = real.C_Login(session, user, pin, length);
  refused = rv != CKR_OK;
  return rv;
}

static CK_RV logout(CK_SESSION_HANDLE session) {
  note("C_Logout");
  return real.C_Logout(session);
}

static CK_RV getAttributeValue(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object,
                               CK_ATTRIBUTE_PTR attributes, CK_ULONG count) {
  CK_RV rv = real.C_GetAttributeValue(session, object, attributes, count);
  if (fault("may-not-sign") && attributes[0].type == CKA_SIGN && attributes[0].pValue != NULL)
    *(CK_BBOOL *)attributes[0].pValue = CK_FALSE;
  if (rv != CKR_OK || attributes[0].type != CKA_EC_POINT) return rv;
  if (fault("no-public-key")) return CKR_ATTRIBUTE_TYPE_INVALID;
  if (!fault("raw-point") || attributes[0].ulValueLen != 34) return rv;
  /* Asked twice: for the length, then for the bytes. */
  if (attributes[0].pValue != NULL) memmove(attributes[0].pValue, (char *)attributes[0].pValue + 2, 32);
  if (attributes[0].pValue != NULL) attributes[0].ulValueLen = 32;
  return rv;
}

static CK_RV signInit(CK_SESSION_HANDLE session, CK_MECHANISM_PTR mechanism, CK_OBJECT_HANDLE key) {
  return fault("no-eddsa") ? CKR_MECHANISM_INVALID : real.C_SignInit(session, mechanism, key);
}

static CK_RV signData(CK_SESSION_HANDLE session, CK_BYTE_PTR data, CK_ULONG dataLength,
                      CK_BYTE_PTR signature, CK_ULONG_PTR length) {
  note("C_Sign");
  if (fault("removed")) return CKR_DEVICE_REMOVED;
  if (fault("vendor")) return 0x80000042UL;
  if (fault("too-long")) return CKR_DATA_LEN_RANGE;
  if (fault("hangup")) kill(getpid(), SIGHUP);
  if (fault("interrupt")) kill(getpid(), SIGINT);
  CK_RV rv = real.C_Sign(session, data, dataLength, signature, length);
  if (fault("wrong-signature")) signature[0] ^= 1;
  return rv;
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST_PTR_PTR result) {
  void *module = dlopen(getenv("FAULTY_MODULE"), RTLD_NOW | RTLD_LOCAL);
  if (module == NULL) return CKR_GENERAL_ERROR;
  CK_C_GetFunctionList get = (CK_C_GetFunctionList)dlsym(module, "C_GetFunctionList");
  CK_FUNCTION_LIST_PTR found;
  CK_RV rv = get(&found);
  if (rv != CKR_OK) return rv;
  real = list = *found;
  list.C_Initialize = initialize;
  list.C_Finalize = finalize;
  list.C_GetFunctionList = C_GetFunctionList;
  list.C_GetSlotList = getSlotList;
  list.C_GetSlotInfo = getSlotInfo;
  list.C_GetTokenInfo = getTokenInfo;
  list.C_OpenSession = openSession;
  list.C_CloseSession = closeSession;
  list.C_Login = login;
  list.C_Logout = logout;
  list.C_GetAttributeValue = getAttributeValue;
  list.C_SignInit = signInit;
  list.C_Sign = signData;
  *result = &list;
  return CKR_OK;
}
